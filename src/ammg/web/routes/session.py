"""Signing in and out, and the places where one is signed in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request, Response
from pydantic import Field

from ammg.store import login, people
from ammg.store.values import SessionInfo, User
from ammg.web.access import Asks, Kept, refuse_other_sites, sign_in, sign_out
from ammg.web.bodies import Body, Id
from ammg.web.errors import refusals

router = APIRouter(tags=["session"])

Password = Annotated[str, Field(max_length=1000, json_schema_extra={"format": "password"})]


class Credentials(Body):
    """Name and password."""

    name: str = Field(max_length=200)
    password: Password


class NewPassword(Body):
    """The old password and the new one."""

    old: Password
    new: Password


@router.post("/session", status_code=201, responses=refusals(401, 403, 422, 429, 503))
def log_in(given: Credentials, request: Request, response: Response, store: Kept) -> User:
    """Sign in: the answer sets the cookie of the session."""
    refuse_other_sites(request)
    address = request.client.host if request.client else ""
    new = login.log_in(store, given.name, given.password, address)
    sign_in(request, response, new.token, int(store.settings.session_life.total_seconds()))
    return new.user


@router.get("/session")
def get_me(store: Kept, actor: Asks) -> User:
    """Who you are."""
    return people.me(store, actor)


@router.delete("/session", status_code=204)
def log_out(request: Request, response: Response, store: Kept, actor: Asks) -> None:
    """End this session."""
    login.log_out(store, actor)
    sign_out(request, response)


@router.get("/sessions")
def list_sessions(store: Kept, actor: Asks) -> tuple[SessionInfo, ...]:
    """Where you are signed in."""
    return login.list_sessions(store, actor)


@router.delete("/sessions", status_code=204)
def revoke_sessions(store: Kept, actor: Asks) -> None:
    """End all your sessions but this one."""
    login.revoke_sessions(store, actor)


@router.delete("/sessions/{session_id}", status_code=204)
def revoke_session(session_id: Id, store: Kept, actor: Asks) -> None:
    """End one of your sessions."""
    login.revoke_session(store, actor, session_id)


@router.put("/session/password", status_code=204)
def change_password(given: NewPassword, store: Kept, actor: Asks) -> None:
    """Set a new password; all your other sessions end."""
    people.change_password(store, actor, given.old, given.new)
