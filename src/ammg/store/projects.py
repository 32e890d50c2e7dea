"""Projects."""

from __future__ import annotations

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from ammg.errors import Conflict, InputError
from ammg.store.actor import Actor
from ammg.store.ground.chain import note
from ammg.store.models.base import folded
from ammg.store.models.people import UserRow
from ammg.store.models.projects import DataSetRow, MemberRow, ProjectRow
from ammg.store.models.review import AuditRow, ReleaseRow, ReviewRow
from ammg.store.models.work import JobRow, MaskedFileRow
from ammg.store.rights import OWNER, entered, need_scope
from ammg.store.store import Store
from ammg.store.values import Project, ProjectLine

LONGEST = 120
STATES = ("new", "data", "prepared", "masked", "in review", "approved", "released")
"""In order; the state of a project is that of its most advanced result."""
_OVER = ("finished", "failed", "cancelled")


def create_project(store: Store, actor: Actor, name: str, description: str = "") -> Project:
    """Create a project, owned by the current person."""
    need_scope(actor, "write")
    with store.writing() as session:
        row = ProjectRow(
            owner_id=actor.user_id,
            name=_checked_name(session, name, actor.user_id),
            name_key=folded(name.strip()),
            description=_checked_description(description),
            created_at=store.clock(),
        )
        session.add(row)
        session.flush()
        session.add(MemberRow(project_id=row.id, user_id=actor.user_id, role="owner", since=row.created_at))
        note(session, actor, "project", row.id, row.id, name=row.name)
        return _project(row, actor.name, "owner")


def list_projects(store: Store, actor: Actor) -> tuple[Project, ...]:
    """The projects of which the person is a member."""
    need_scope(actor, "read")
    mine = (
        select(ProjectRow, UserRow.name, MemberRow.role)
        .join(MemberRow, MemberRow.project_id == ProjectRow.id)
        .join(UserRow, UserRow.id == ProjectRow.owner_id)
        .where(MemberRow.user_id == actor.user_id)
        .order_by(ProjectRow.name_key, ProjectRow.id)
    )
    with store.reading() as session:
        return tuple(_project(row, owner, role) for row, owner, role in session.execute(mine))


def get_project(store: Store, actor: Actor, project_id: str) -> Project:
    """One project."""
    with store.reading() as session:
        row, role = entered(session, actor, project_id)
        return _project(row, _owner(session, row), role)


def overview(store: Store, actor: Actor) -> tuple[ProjectLine, ...]:
    """The projects of which the person is a member, most recently changed first."""
    projects = list_projects(store, actor)
    ids = [project.id for project in projects]
    changed = (
        select(AuditRow.project_id, func.max(AuditRow.at))
        .where(AuditRow.project_id.in_(ids), AuditRow.action.not_like("% read"))
        .group_by(AuditRow.project_id)
    )
    there = DataSetRow.removed_at.is_(None)
    with store.reading() as session:
        at = {row[0]: row[1] for row in session.execute(changed)}
        reached: dict[str, set[str]] = {
            "data": set(session.scalars(select(DataSetRow.project_id).where(DataSetRow.project_id.in_(ids), there))),
            "masked": set(session.scalars(select(MaskedFileRow.project_id).where(MaskedFileRow.project_id.in_(ids)))),
            "released": set(session.scalars(select(ReleaseRow.project_id).where(ReleaseRow.project_id.in_(ids)))),
        }
        for state, kept in (("in review", "submitted"), ("approved", "approved")):
            which = (ReviewRow.project_id.in_(ids), ReviewRow.state == kept)
            reached[state] = set(session.scalars(select(ReviewRow.project_id).where(*which)))
    reached["prepared"] = {project.id for project in projects if project.version}
    lines = [
        ProjectLine(
            project,
            next((state for state in reversed(STATES) if project.id in reached.get(state, ())), "new"),
            at.get(project.id) or project.created_at,
        )
        for project in projects
    ]
    return tuple(sorted(lines, key=lambda line: line.changed_at, reverse=True))


def change_project(
    store: Store, actor: Actor, project_id: str, name: str | None = None, description: str | None = None
) -> Project:
    """Change the name or description of a project."""
    with store.writing() as session:
        row, role = entered(session, actor, project_id, OWNER, "write")
        if name is not None and folded(name.strip()) != row.name_key:
            row.name, row.name_key = _checked_name(session, name, row.owner_id), folded(name.strip())
        elif name is not None:
            row.name = name.strip()
        if description is not None:
            row.description = _checked_description(description)
        note(session, actor, "project changed", row.id, row.id, name=row.name)
        return _project(row, _owner(session, row), role)


def remove_project(store: Store, actor: Actor, project_id: str) -> None:
    """Remove a project without releases, with its files; all members lose it."""
    from ammg.store.ground.removal import remove_contents

    with store.writing() as session:
        row, _ = entered(session, actor, project_id, OWNER, "write")
        if session.scalar(select(ReleaseRow.id).where(ReleaseRow.project_id == row.id)):
            raise Conflict("The project has releases, which are kept permanently: it cannot be removed.")
        if session.scalar(select(JobRow.id).where(JobRow.project_id == row.id, JobRow.state.not_in(_OVER))):
            raise Conflict("The project has unfinished jobs: cancel them first.")
        files = remove_contents(session, row.id)
        session.execute(delete(MemberRow).where(MemberRow.project_id == row.id))
        session.delete(row)
        note(session, actor, "project removed", row.id, row.id, name=row.name)
    for file_id in files:
        store.files.remove(file_id)


def _owner(session: Session, row: ProjectRow) -> str:
    return session.scalars(select(UserRow.name).where(UserRow.id == row.owner_id)).one()


def _checked_name(session: Session, name: str, owner_id: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= LONGEST or not name.isprintable():
        raise InputError(f"A project needs a name of 1 to {LONGEST} characters on one line.")
    if session.scalar(
        select(ProjectRow.id).where(ProjectRow.owner_id == owner_id, ProjectRow.name_key == folded(name))
    ):
        raise Conflict(f"You already have a project called '{name}': choose another name.")
    return name


def _checked_description(text: str) -> str:
    if len(text) > 2000:
        raise InputError("The description has more than 2000 characters: shorten it.")
    return text


def _project(row: ProjectRow, owner: str, role: str) -> Project:
    return Project(row.id, row.name, row.description, owner, role, row.current, row.created_at)
