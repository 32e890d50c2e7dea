"""Signing in, and authenticating requests."""

from __future__ import annotations

import math
from datetime import timedelta

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.orm import Session

from ammg.errors import NotFound, NotSignedIn, TooMany
from ammg.store.actor import Actor
from ammg.store.ground.chain import note
from ammg.store.ground.passwords import digest, matches, new_token
from ammg.store.models.base import folded
from ammg.store.models.people import LoginFailureRow, SessionRow, TokenRow, UserRow
from ammg.store.rights import need_person
from ammg.store.store import Store
from ammg.store.values import NewSession, SessionInfo, User

SESSION, TOKEN = "ammg_s_", "ammg_t_"
_SEEN = timedelta(minutes=1)
"""Precision of the time of a session's last use, so that not every request writes."""


def log_in(store: Store, name: str, password: str, address: str = "") -> NewSession:
    """Sign in with a password.

    Raises:
        NotSignedIn: name or password is wrong, without saying which.
        TooMany: there were too many wrong passwords for this account, or from this address.
    """
    account, source = store.vault.tag("account", folded(name)[:200]), store.vault.tag("address", address)
    with store.writing() as session:
        # Count the attempt before checking the password, so that many parallel attempts do not count as one.
        _refuse_too_many(store, session, account, source)
        session.add(LoginFailureRow(account=account, address=source, at=store.clock()))
        user = session.scalar(select(UserRow).where(UserRow.name_key == folded(name)[:160]))
    if not matches(store.settings, password, user.password if user and user.is_active else None):
        with store.writing() as session:
            note(session, None, "login failed", user.id if user else "")
        raise NotSignedIn("Name or password is wrong.")
    assert user is not None
    token, kept = new_token(SESSION)
    now = store.clock()
    with store.writing() as session:
        row = SessionRow(
            user_id=user.id, digest=kept, created_at=now, seen_at=now, expires_at=now + store.settings.session_life
        )
        session.add(row)
        session.execute(delete(LoginFailureRow).where(LoginFailureRow.account == account))
        session.flush()
        note(session, _actor(user, row.id), "login", row.id)
        known = User(user.id, user.name, user.full_name, user.is_administrator, user.is_active, user.created_at)
        return NewSession(token, _info(row, row.id), known)


def authenticate(store: Store, token: str, *, seen: bool = True) -> Actor:
    """The person to whom a session or API token belongs; with `seen`, this counts as use of the session.

    Raises:
        NotSignedIn: it is unknown, expired or revoked, or the account is closed.
    """
    if token.startswith(SESSION):
        return _by_session(store, token, seen)
    if token.startswith(TOKEN):
        return _by_token(store, token)
    raise NotSignedIn("Sign in first.")


def log_out(store: Store, actor: Actor) -> None:
    """End the current session."""
    need_person(actor)
    revoke_session(store, actor, actor.key_id)


def list_sessions(store: Store, actor: Actor) -> tuple[SessionInfo, ...]:
    """The person's sessions."""
    need_person(actor)
    now = store.clock()
    alive = (SessionRow.user_id == actor.user_id, SessionRow.revoked_at.is_(None), SessionRow.expires_at > now)
    with store.reading() as session:
        rows = session.scalars(select(SessionRow).where(*alive).order_by(SessionRow.created_at))
        return tuple(_info(row, actor.key_id) for row in rows)


def revoke_session(store: Store, actor: Actor, session_id: str) -> None:
    """End one of the person's sessions."""
    need_person(actor)
    with store.writing() as session:
        row = session.get(SessionRow, session_id)
        if row is None or row.user_id != actor.user_id:
            raise NotFound("There is no such session.")
        row.revoked_at = row.revoked_at or store.clock()
        note(session, actor, "session ended", row.id)


def revoke_sessions(store: Store, actor: Actor) -> None:
    """End all other sessions of the person."""
    need_person(actor)
    with store.writing() as session:
        others = (SessionRow.user_id == actor.user_id, SessionRow.id != actor.key_id, SessionRow.revoked_at.is_(None))
        session.execute(update(SessionRow).where(*others).values(revoked_at=store.clock()))
        note(session, actor, "other sessions ended")


def _by_session(store: Store, token: str, seen: bool) -> Actor:
    now = store.clock()
    found = select(SessionRow, UserRow).join(UserRow, UserRow.id == SessionRow.user_id)
    with store.reading() as session:
        row, user = session.execute(found.where(SessionRow.digest == digest(token))).one_or_none() or (None, None)
    if row is None or user is None or row.revoked_at is not None or row.expires_at <= now or not user.is_active:
        raise NotSignedIn("The session is unknown, expired or revoked: sign in again.")
    if row.seen_at + store.settings.session_idle <= now:
        raise NotSignedIn("The session was idle for too long: sign in again.")
    if seen and now - row.seen_at > _SEEN:
        with store.writing() as session:
            session.execute(update(SessionRow).where(SessionRow.id == row.id).values(seen_at=now))
    return _actor(user, row.id)


def _by_token(store: Store, token: str) -> Actor:
    now = store.clock()
    found = select(TokenRow, UserRow).join(UserRow, UserRow.id == TokenRow.user_id)
    with store.reading() as session:
        row, user = session.execute(found.where(TokenRow.digest == digest(token))).one_or_none() or (None, None)
    if row is None or user is None or row.revoked_at is not None or row.expires_at <= now or not user.is_active:
        raise NotSignedIn("The token is unknown, expired or revoked: create another one.")
    if row.used_at is None or now - row.used_at > _SEEN:
        with store.writing() as session:
            session.execute(update(TokenRow).where(TokenRow.id == row.id).values(used_at=now))
    return Actor(user.id, user.name, user.is_administrator, "token", row.id, frozenset(row.scopes.split()))


def _refuse_too_many(store: Store, session: Session, account: str, address: str) -> None:
    settings, now = store.settings, store.clock()
    limits: list[tuple[ColumnElement[bool], int]] = [
        (LoginFailureRow.account == account, settings.failures_of_account),
        (LoginFailureRow.address == address, settings.failures_of_address),
    ]
    for whose, most in limits:
        recent = (whose, LoginFailureRow.at > now - settings.failure_window)
        count, last = session.execute(select(func.count(), func.max(LoginFailureRow.at)).where(*recent)).one()
        if count >= most:
            wait = math.ceil((last + settings.failure_window - now).total_seconds())
            raise TooMany("Too many wrong passwords: wait, or ask an administrator for a link.", max(wait, 1))


def _actor(user: UserRow, session_id: str) -> Actor:
    return Actor(user.id, user.name, user.is_administrator, "session", session_id)


def _info(row: SessionRow, current: str) -> SessionInfo:
    return SessionInfo(row.id, row.created_at, row.seen_at, row.expires_at, row.id == current)
