"""People and invitations, for administrators; and accepting an invitation."""

from __future__ import annotations

from fastapi import APIRouter, Request
from pydantic import Field

from ammg.store import people
from ammg.store.values import Invitation, NewInvitation, User
from ammg.web.access import Asks, Kept, refuse_other_sites
from ammg.web.bodies import Body, Id
from ammg.web.errors import refusals
from ammg.web.routes.session import Password

router = APIRouter(tags=["people"])


class Accepted(Body):
    """A one-time token, and the account that it makes; a token that resets a password ignores the names."""

    token: str = Field(max_length=200)
    name: str = Field("", max_length=200)
    full_name: str = Field("", max_length=200)
    password: Password


class Invited(Body):
    """Whom a link is for."""

    administrator: bool = False
    note: str = Field("", max_length=200)


class Switch(Body):
    """Yes or no."""

    value: bool


@router.post("/invitations/accept", status_code=201, responses=refusals(401, 403, 409, 422, 503))
def accept(given: Accepted, request: Request, store: Kept) -> User:
    """Use a one-time link: of the first administrator, an invitation, or a reset password. Sign in afterwards."""
    refuse_other_sites(request)
    return people.accept(store, given.token, given.name, given.full_name, given.password)


@router.get("/invitations")
def list_invitations(store: Kept, actor: Asks) -> tuple[Invitation, ...]:
    """Links that were made, newest first."""
    return people.list_invitations(store, actor)


@router.post("/invitations", status_code=201)
def invite(given: Invited, store: Kept, actor: Asks) -> NewInvitation:
    """Make a one-time link for a new person; its token is shown once."""
    return people.invite(store, actor, given.administrator, given.note)


@router.delete("/invitations/{invitation_id}", status_code=204)
def revoke_invitation(invitation_id: Id, store: Kept, actor: Asks) -> None:
    """Revoke a link."""
    people.revoke_invitation(store, actor, invitation_id)


@router.get("/users")
def list_users(store: Kept, actor: Asks) -> tuple[User, ...]:
    """Everybody who has an account."""
    return people.list_users(store, actor)


@router.put("/users/{user_id}/active")
def set_user_active(user_id: Id, given: Switch, store: Kept, actor: Asks) -> User:
    """Open or close an account; closing ends its sessions and tokens."""
    return people.set_user_active(store, actor, user_id, given.value)


@router.put("/users/{user_id}/administrator")
def set_administrator(user_id: Id, given: Switch, store: Kept, actor: Asks) -> User:
    """Make somebody an administrator, or no longer one."""
    return people.set_administrator(store, actor, user_id, given.value)


@router.post("/users/{user_id}/reset-link", status_code=201)
def reset_link(user_id: Id, store: Kept, actor: Asks) -> NewInvitation:
    """Make a one-time link by which somebody sets a new password."""
    return people.reset_link(store, actor, user_id)
