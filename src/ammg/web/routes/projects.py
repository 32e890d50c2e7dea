"""Projects and their members."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from ammg.store import members, projects, samples
from ammg.store.values import Member, Project
from ammg.web.access import Asks, Kept
from ammg.web.bodies import Body, Id

router = APIRouter(tags=["projects"])


class NewProject(Body):
    """A name that no other project of yours has."""

    name: str = Field(max_length=1000)
    description: str = Field("", max_length=10_000)


class ProjectChange(Body):
    """What is to be different."""

    name: str | None = Field(None, max_length=1000)
    description: str | None = Field(None, max_length=10_000)


class NewMember(Body):
    """A user name and a role: analyst or reviewer."""

    name: str = Field(max_length=200)
    role: str = Field(max_length=40)


class Sample(Body):
    """Which sample."""

    which: str = Field(max_length=40, description="patients (the paper's example) or survey.")


@router.get("/projects")
def list_projects(store: Kept, actor: Asks) -> tuple[Project, ...]:
    """The projects that you are a member of."""
    return projects.list_projects(store, actor)


@router.post("/projects", status_code=201)
def create_project(given: NewProject, store: Kept, actor: Asks) -> Project:
    """Create a project; you are its owner."""
    return projects.create_project(store, actor, given.name, given.description)


@router.post("/samples", status_code=201)
def create_sample(given: Sample, store: Kept, actor: Asks) -> Project:
    """Create a project with sample data and a version that describes them."""
    return samples.create_sample(store, actor, given.which)


@router.get("/projects/{project_id}")
def get_project(project_id: Id, store: Kept, actor: Asks) -> Project:
    """One project."""
    return projects.get_project(store, actor, project_id)


@router.patch("/projects/{project_id}")
def change_project(project_id: Id, given: ProjectChange, store: Kept, actor: Asks) -> Project:
    """Give a project another name or description."""
    return projects.change_project(store, actor, project_id, given.name, given.description)


@router.delete("/projects/{project_id}", status_code=204)
def remove_project(project_id: Id, store: Kept, actor: Asks) -> None:
    """Remove a project that has released nothing, with all its files."""
    projects.remove_project(store, actor, project_id)


@router.get("/projects/{project_id}/members")
def list_members(project_id: Id, store: Kept, actor: Asks) -> tuple[Member, ...]:
    """Everybody who works on the project."""
    return members.list_members(store, actor, project_id)


@router.put("/projects/{project_id}/members")
def set_member(project_id: Id, given: NewMember, store: Kept, actor: Asks) -> Member:
    """Give somebody a role in the project."""
    return members.set_member(store, actor, project_id, given.name, given.role)


@router.delete("/projects/{project_id}/members/{user_id}", status_code=204)
def remove_member(project_id: Id, user_id: Id, store: Kept, actor: Asks) -> None:
    """Take somebody's role in the project away."""
    members.remove_member(store, actor, project_id, user_id)
