"""Tokens for programs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from sqlalchemy import select

from ammg.errors import InputError, NotFound, did_you_mean
from ammg.store.actor import SCOPES, Actor
from ammg.store.ground.chain import note
from ammg.store.ground.passwords import new_token
from ammg.store.login import TOKEN
from ammg.store.models.people import TokenRow
from ammg.store.rights import need_person
from ammg.store.store import Store
from ammg.store.values import NewToken, TokenInfo

LONGEST_DAYS = 366


def create_token(store: Store, actor: Actor, label: str, scopes: Iterable[str], days: int) -> NewToken:
    """Create a token that allows its scopes, never more than its owner may do, and expires after some days."""
    need_person(actor)
    wanted = sorted(set(scopes))
    if not wanted:
        raise InputError(f"The token has no scope: choose from {', '.join(SCOPES)}.")
    for scope in wanted:
        if scope not in SCOPES:
            raise InputError(f"There is no scope '{scope[:40]}'.{did_you_mean(scope, SCOPES)}")
    if not 1 <= days <= LONGEST_DAYS:
        raise InputError(f"A token is valid for 1 to {LONGEST_DAYS} days, not {days}.")
    if not 1 <= len(label.strip()) <= 200:
        raise InputError("A token needs a label of 1 to 200 characters that says what it is for.")
    token, kept = new_token(TOKEN)
    now = store.clock()
    with store.writing() as session:
        row = TokenRow(
            user_id=actor.user_id,
            label=label.strip(),
            digest=kept,
            scopes=" ".join(wanted),
            created_at=now,
            expires_at=now + timedelta(days=days),
        )
        session.add(row)
        session.flush()
        note(session, actor, "token", row.id, scopes=wanted, days=days)
        return NewToken(token, _info(row))


def list_tokens(store: Store, actor: Actor) -> tuple[TokenInfo, ...]:
    """The person's tokens, newest first."""
    need_person(actor)
    with store.reading() as session:
        mine = select(TokenRow).where(TokenRow.user_id == actor.user_id).order_by(TokenRow.created_at.desc())
        return tuple(map(_info, session.scalars(mine)))


def revoke_token(store: Store, actor: Actor, token_id: str) -> None:
    """Make a token unusable."""
    need_person(actor)
    with store.writing() as session:
        row = session.get(TokenRow, token_id)
        if row is None or row.user_id != actor.user_id:
            raise NotFound("There is no such token.")
        row.revoked_at = row.revoked_at or store.clock()
        note(session, actor, "token revoked", row.id)


def _info(row: TokenRow) -> TokenInfo:
    return TokenInfo(
        row.id,
        row.label,
        tuple(row.scopes.split()),
        row.created_at,
        row.expires_at,
        row.used_at,
        row.revoked_at is not None,
    )
