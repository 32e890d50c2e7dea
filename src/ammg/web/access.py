"""Who asks: a session in a cookie or a token in a header, and no request that another site made."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request, Response, Security
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from ammg.errors import Denied, NotSignedIn
from ammg.store.actor import Actor
from ammg.store.login import authenticate
from ammg.store.store import Store

COOKIE = "ammg_session"
HEADER = "X-AMMG"
"""Programs that send the cookie without an Origin add this header, which other sites cannot."""

_SAFE = {"GET", "HEAD", "OPTIONS"}
_cookie = APIKeyCookie(name=COOKIE, auto_error=False, description="Set by signing in.")
_bearer = HTTPBearer(auto_error=False, description="A token for programs, made under /tokens.")


async def _store(request: Request) -> Store:
    store: Store = request.app.state.store
    return store


def _key(
    request: Request,
    cookie: Annotated[str | None, Security(_cookie)],
    bearer: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
) -> str:
    """The session or API token of a request."""
    if bearer is not None:
        return bearer.credentials
    if not cookie:
        raise NotSignedIn("Sign in first, or send a token.")
    refuse_other_sites(request, has_cookie=True)
    return cookie


Kept = Annotated[Store, Depends(_store)]
Key = Annotated[str, Depends(_key)]


def _actor(request: Request, store: Kept, key: Key) -> Actor:
    actor = authenticate(store, key)
    request.state.user = actor.user_id
    return actor


Asks = Annotated[Actor, Depends(_actor)]


def refuse_other_sites(request: Request, *, has_cookie: bool = False) -> None:
    """Refuse to change anything for a page of another site, which would act in the name of whoever is signed in."""
    if request.method in _SAFE:
        return
    origin = request.headers.get("origin")
    if origin is None:
        if has_cookie and HEADER not in request.headers:
            raise Denied(f"The request has a cookie but no Origin header: send the header {HEADER}: 1.")
    elif origin != own_origin(request):
        raise Denied("The request comes from a page of another site.")


def own_origin(request: Request) -> str:
    """Scheme, host and port under which people reach this server."""
    public = urlsplit(request.app.state.public_url or str(request.base_url))
    return f"{public.scheme}://{public.netloc}"


def sign_in(request: Request, response: Response, token: str, seconds: int) -> None:
    """Put the session into a cookie that scripts and other sites cannot use."""
    secure = own_origin(request).startswith("https:")
    response.set_cookie(COOKIE, token, max_age=seconds, path="/", secure=secure, httponly=True, samesite="strict")


def sign_out(request: Request, response: Response) -> None:
    """Take the cookie back."""
    secure = own_origin(request).startswith("https:")
    response.delete_cookie(COOKIE, path="/", secure=secure, httponly=True, samesite="strict")
