"""The members of a project."""

from __future__ import annotations

from sqlalchemy import select

from ammg.errors import Conflict, InputError, NotFound
from ammg.store.actor import Actor
from ammg.store.ground.chain import note
from ammg.store.models.base import folded
from ammg.store.models.people import UserRow
from ammg.store.models.projects import MemberRow
from ammg.store.rights import OWNER, entered, need_scope
from ammg.store.store import Store
from ammg.store.values import Member

GIVEN = ("analyst", "reviewer")


def list_members(store: Store, actor: Actor, project_id: str) -> tuple[Member, ...]:
    """All members of the project."""
    with store.reading() as session:
        entered(session, actor, project_id)
        all_of_them = (
            select(MemberRow, UserRow)
            .join(UserRow, UserRow.id == MemberRow.user_id)
            .where(MemberRow.project_id == project_id)
            .order_by(UserRow.name_key)
        )
        return tuple(_member(row, user) for row, user in session.execute(all_of_them))


def set_member(store: Store, actor: Actor, project_id: str, user_name: str, role: str) -> Member:
    """Give somebody a role in the project. The owner keeps theirs and cannot review their own work."""
    need_scope(actor, "write")
    if role not in GIVEN:
        raise InputError(f"'{role[:40]}' is not a role that you can assign: choose {' or '.join(GIVEN)}.")
    with store.writing() as session:
        entered(session, actor, project_id, OWNER, "write")
        user = session.scalar(select(UserRow).where(UserRow.name_key == folded(user_name)[:160], UserRow.is_active))
        if user is None:
            raise NotFound(f"There is no user '{user_name[:80]}': ask an administrator to invite them.")
        row = session.get(MemberRow, (project_id, user.id))
        if row is not None and row.role == "owner":
            raise Conflict("The owner keeps their role: somebody else must review.")
        if row is None:
            row = MemberRow(project_id=project_id, user_id=user.id, role=role, since=store.clock())
            session.add(row)
        row.role = role
        note(session, actor, "member", user.id, project_id, name=user.name, role=role)
        return _member(row, user)


def remove_member(store: Store, actor: Actor, project_id: str, user_id: str) -> None:
    """Remove somebody from the project."""
    with store.writing() as session:
        entered(session, actor, project_id, OWNER, "write")
        row = session.get(MemberRow, (project_id, user_id))
        if row is None:
            raise NotFound("There is no such member.")
        if row.role == "owner":
            raise Conflict("The owner cannot leave their project.")
        session.delete(row)
        note(session, actor, "member removed", user_id, project_id)


def _member(row: MemberRow, user: UserRow) -> Member:
    return Member(user.id, user.name, user.full_name, row.role, row.since)
