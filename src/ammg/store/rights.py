"""Access rights, checked here by every function of the store."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

from sqlalchemy.orm import Session

from ammg.errors import Denied, NotFound
from ammg.store.actor import Actor
from ammg.store.models.projects import MemberRow, ProjectRow
from ammg.store.models.work import JobRow

Role = Literal["owner", "analyst", "reviewer"]
ROLES: tuple[Role, ...] = ("owner", "analyst", "reviewer")
ALL: tuple[Role, ...] = ROLES
WORKERS: tuple[Role, ...] = ("owner", "analyst")
OWNER: tuple[Role, ...] = ("owner",)
PANEL: tuple[Role, ...] = ("owner", "reviewer")

R = TypeVar("R")


def need_scope(actor: Actor, scope: str) -> None:
    """Refuse a token without this scope."""
    if not actor.may(scope):
        raise Denied(f"The token does not allow this: it needs the scope '{scope}'.")


def need_administrator(actor: Actor) -> None:
    """Refuse everybody but administrators."""
    need_scope(actor, "admin")
    if not actor.is_administrator:
        raise Denied("Only administrators may do this: ask one.")


def need_person(actor: Actor) -> None:
    """Refuse tokens: access rights are managed only by people who signed in."""
    if actor.via != "session":
        raise Denied("A token may not do this: sign in.")


def entered(
    session: Session, actor: Actor, project_id: str, roles: tuple[Role, ...] = ALL, scope: str = "read"
) -> tuple[ProjectRow, Role]:
    """The project and the actor's role in it; for non-members the project does not exist."""
    need_scope(actor, scope)
    member = session.get(MemberRow, (project_id, actor.user_id))
    project = None if member is None else session.get(ProjectRow, project_id)
    if member is None or project is None:
        raise NotFound("There is no such project.")
    role: Any = member.role
    if role not in roles:
        raise Denied(f"Only the {' and the '.join(roles)} of the project may do this; you are its {role}.")
    return project, role


def entered_job(
    session: Session, actor: Actor, job_id: str, roles: tuple[Role, ...] = ALL, scope: str = "read"
) -> tuple[JobRow, Role]:
    """A job in a project of the actor, and the actor's role there."""
    need_scope(actor, scope)
    job = session.get(JobRow, job_id)
    if job is None:
        raise NotFound("There is no such job.")
    try:
        return job, entered(session, actor, job.project_id, roles, scope)[1]
    except NotFound:
        raise NotFound("There is no such job.") from None


def within(session: Session, model: type[R], row_id: str, project_id: str, what: str) -> R:
    """A row that belongs to this project."""
    row = session.get(model, row_id)
    if row is None or getattr(row, "project_id", None) != project_id:
        raise NotFound(f"There is no such {what}.")
    return row
