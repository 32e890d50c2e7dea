"""People: the first administrator, invitations, accounts."""

from __future__ import annotations

import re

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from ammg.errors import Conflict, InputError, NotFound, NotSignedIn
from ammg.store.actor import Actor
from ammg.store.ground.chain import note
from ammg.store.ground.passwords import digest, hashed, matches, new_token
from ammg.store.models.base import folded
from ammg.store.models.people import InvitationRow, SessionRow, TokenRow, UserRow
from ammg.store.rights import need_administrator, need_person
from ammg.store.store import Store
from ammg.store.values import Invitation, NewInvitation, User

_NAME = re.compile(r"[\w.@+-]{2,80}")


def first_link(store: Store) -> str | None:
    """A new one-time token for the first administrator; None once there is a user. Earlier ones stop working."""
    with store.writing() as session:
        if session.scalar(select(func.count()).select_from(UserRow)):
            return None
        session.execute(update(InvitationRow).where(InvitationRow.used_at.is_(None)).values(used_at=store.clock()))
        token, _ = _invited(store, session, None, "first", administrator=True)
        note(session, None, "first link")
        return token


def invite(store: Store, actor: Actor, administrator: bool = False, remark: str = "") -> NewInvitation:
    """Create a one-time link for a new person."""
    need_administrator(actor)
    with store.writing() as session:
        token, row = _invited(store, session, actor, "invite", administrator=administrator, remark=remark[:200])
        session.flush()
        note(session, actor, "invitation", row.id, administrator=administrator)
        return NewInvitation(token, _invitation(row))


def reset_link(store: Store, actor: Actor, user_id: str) -> NewInvitation:
    """Create a one-time link with which a person sets a new password."""
    need_administrator(actor)
    with store.writing() as session:
        user = _user_row(session, user_id)
        token, row = _invited(store, session, actor, "reset", user_id=user.id)
        session.flush()
        note(session, actor, "reset link", user.id)
        return NewInvitation(token, _invitation(row))


def list_invitations(store: Store, actor: Actor) -> tuple[Invitation, ...]:
    """All links, newest first."""
    need_administrator(actor)
    with store.reading() as session:
        rows = session.scalars(select(InvitationRow).order_by(InvitationRow.created_at.desc()))
        return tuple(map(_invitation, rows))


def revoke_invitation(store: Store, actor: Actor, invitation_id: str) -> None:
    """Make a link unusable."""
    need_administrator(actor)
    with store.writing() as session:
        row = session.get(InvitationRow, invitation_id)
        if row is None:
            raise NotFound("There is no such invitation.")
        row.used_at = row.used_at or store.clock()
        note(session, actor, "invitation revoked", row.id)


def accept(store: Store, token: str, name: str, full_name: str, password: str) -> User:
    """Use a link: create an account with this name, or set a new password, which ends all sessions and tokens."""
    kept = hashed(store.settings, password)
    with store.writing() as session:
        now = store.clock()
        link = session.scalar(select(InvitationRow).where(InvitationRow.digest == digest(token)).with_for_update())
        if link is None or link.used_at is not None or link.expires_at <= now:
            raise NotSignedIn("This link is unknown, used or expired: ask for a new one.")
        link.used_at = now
        if link.kind == "reset":
            user = _user_row(session, str(link.user_id))
            user.password = kept
            _end_access(session, user.id, store)
        else:
            user = UserRow(
                name=_checked_name(session, name),
                name_key=folded(name),
                full_name=full_name.strip()[:200],
                password=kept,
                is_administrator=link.is_administrator,
                created_at=now,
            )
            session.add(user)
        session.flush()
        note(session, None, {"reset": "password reset"}.get(link.kind, "account"), user.id, name=user.name)
        return _user(user)


def me(store: Store, actor: Actor) -> User:
    """The current person."""
    with store.reading() as session:
        return _user(_user_row(session, actor.user_id))


def list_users(store: Store, actor: Actor) -> tuple[User, ...]:
    """All people, for administrators."""
    need_administrator(actor)
    with store.reading() as session:
        return tuple(map(_user, session.scalars(select(UserRow).order_by(UserRow.name_key))))


def set_user_active(store: Store, actor: Actor, user_id: str, active: bool) -> User:
    """Close or reopen an account; closing ends its sessions and tokens."""
    need_administrator(actor)
    with store.writing() as session:
        user = _user_row(session, user_id)
        if user.id == actor.user_id and not active:
            raise Conflict("You cannot close your own account: ask another administrator.")
        user.is_active = active
        if not active:
            _end_access(session, user.id, store)
        note(session, actor, "account opened" if active else "account closed", user.id, name=user.name)
        return _user(user)


def set_administrator(store: Store, actor: Actor, user_id: str, value: bool) -> User:
    """Give or take away the rights of an administrator."""
    need_administrator(actor)
    with store.writing() as session:
        user = _user_row(session, user_id)
        if user.id == actor.user_id and not value:
            raise Conflict("You cannot remove this right from yourself: ask another administrator.")
        user.is_administrator = value
        note(session, actor, "administrator" if value else "no administrator", user.id, name=user.name)
        return _user(user)


def change_password(store: Store, actor: Actor, old: str, new: str) -> None:
    """Set a new password; ends all other sessions."""
    need_person(actor)
    kept = hashed(store.settings, new)
    with store.reading() as session:
        known = _user_row(session, actor.user_id).password
    if not matches(store.settings, old, known):
        raise InputError("The old password is wrong.")
    with store.writing() as session:
        _user_row(session, actor.user_id).password = kept
        _end_access(session, actor.user_id, store, but=actor.key_id)
        note(session, actor, "password changed", actor.user_id)


def user_names(session: Session, ids: set[str]) -> dict[str, str]:
    """The names of people by their ids."""
    rows = session.execute(select(UserRow.id, UserRow.name).where(UserRow.id.in_(ids))) if ids else ()
    return {row[0]: row[1] for row in rows}


def _invited(
    store: Store,
    session: Session,
    actor: Actor | None,
    kind: str,
    *,
    administrator: bool = False,
    remark: str = "",
    user_id: str | None = None,
) -> tuple[str, InvitationRow]:
    token, kept = new_token("ammg_l_")
    now = store.clock()
    row = InvitationRow(
        kind=kind,
        digest=kept,
        is_administrator=administrator,
        note=remark,
        user_id=user_id,
        created_at=now,
        created_by=actor.user_id if actor else None,
        expires_at=now + store.settings.link_life,
    )
    session.add(row)
    return token, row


def _checked_name(session: Session, name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InputError("A user name must have 2 to 80 letters, digits, dots, dashes or @: choose another one.")
    if session.scalar(select(UserRow.id).where(UserRow.name_key == folded(name))):
        raise Conflict(f"The name '{name}' is already taken: choose another one.")
    return name


def _user_row(session: Session, user_id: str) -> UserRow:
    row = session.get(UserRow, user_id)
    if row is None:
        raise NotFound("There is no such person.")
    return row


def _end_access(session: Session, user_id: str, store: Store, but: str = "") -> None:
    for model in (SessionRow, TokenRow):
        ended = update(model).where(model.user_id == user_id, model.id != but, model.revoked_at.is_(None))
        session.execute(ended.values(revoked_at=store.clock()))


def _user(row: UserRow) -> User:
    return User(row.id, row.name, row.full_name, row.is_administrator, row.is_active, row.created_at)


def _invitation(row: InvitationRow) -> Invitation:
    return Invitation(row.id, row.kind, row.note, row.is_administrator, row.created_at, row.expires_at, row.used_at)
