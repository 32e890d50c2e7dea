"""Tokens for programs."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from ammg.store import tokens
from ammg.store.values import NewToken, TokenInfo
from ammg.web.access import Asks, Kept
from ammg.web.bodies import LARGEST_NUMBER, Body, Id

router = APIRouter(tags=["tokens"])


class TokenRequest(Body):
    """What a token is for, what it may do, and how long."""

    label: str = Field(max_length=1000)
    scopes: list[str] = Field(max_length=20, description="Of read, write, run, review, release, admin.")
    days: int = Field(ge=-LARGEST_NUMBER, le=LARGEST_NUMBER)


@router.get("/tokens")
def list_tokens(store: Kept, actor: Asks) -> tuple[TokenInfo, ...]:
    """Your tokens, newest first."""
    return tokens.list_tokens(store, actor)


@router.post("/tokens", status_code=201)
def create_token(given: TokenRequest, store: Kept, actor: Asks) -> NewToken:
    """Make a token; it is shown once, and is sent as `Authorization: Bearer …`."""
    return tokens.create_token(store, actor, given.label, given.scopes, given.days)


@router.delete("/tokens/{token_id}", status_code=204)
def revoke_token(token_id: Id, store: Kept, actor: Asks) -> None:
    """Revoke a token."""
    tokens.revoke_token(store, actor, token_id)
