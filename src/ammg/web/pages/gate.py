"""What stands before every page and every socket: a session, the right origin, a strict content security policy."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from nicegui import Client
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ammg.errors import NotSignedIn
from ammg.store.actor import Actor
from ammg.store.login import authenticate
from ammg.store.store import Store
from ammg.web.access import COOKIE
from ammg.web.pages.policy import policy

SOCKET = "/_nicegui_ws/"
_FILES = re.compile(r"/_nicegui/[^/]+/(static|libraries|components|resources|esm)/|/favicon\.ico")
_EVENT = re.compile(r"42(?:/[^,\[]*,)?\d*(\[.*)", re.DOTALL)
_TAKEN = {"event", "handshake", "ack", "javascript_response"}
"""Events that pages need; what a browser wants in the log of the server is dropped."""
_LOOK = 5.0
"""Seconds after which a socket that is silent is asked for its session again."""


class Gate:
    """The way to the pages. NiceGUI itself asks nobody who they are."""

    def __init__(self, pages: ASGIApp, store: Store, public_url: str) -> None:
        self._pages, self._store, self._public_url = pages, store, public_url
        self._files = GZipMiddleware(pages)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on what is allowed."""
        path = scope["path"]
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif _FILES.match(path):
            await self._files(scope, receive, send)
        elif scope["method"] not in ("GET", "HEAD") or path.startswith(("/api/", "/_nicegui", "/assets/")):
            # No uploads and no polling through NiceGUI: files go to the API, events through the socket.
            raise HTTPException(404)
        else:
            await self._page(scope, receive, send)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        actor = await self._who(scope)
        if actor is None:
            asked = scope["path"] + (f"?{scope['query_string'].decode()}" if scope["query_string"] else "")
            target = "/login" if asked == "/" else f"/login?next={quote(asked, safe='')}"
            await RedirectResponse(target, 303)(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        state["user"], state["actor"], state["store"] = actor.user_id, actor, self._store
        state["origin"] = self._origin(scope)
        nonce, begun, body = secrets.token_urlsafe(18), None, bytearray()

        async def stamped(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = message
                return
            assert begun is not None
            body.extend(message.get("body", b""))
            if message.get("more_body"):
                return
            # All scripts of the page itself get the nonce. Nobody's text can add one: NiceGUI escapes every "<".
            whole = bytes(body).replace(b"<script", f'<script nonce="{nonce}"'.encode())
            headers = MutableHeaders(scope=begun)
            headers["Content-Security-Policy"] = policy(nonce)
            headers["Content-Length"] = str(len(whole))
            await send(begun)
            await send({"type": "http.response.body", "body": whole})

        await self._pages(scope, receive, stamped)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        actor = await self._who(scope)
        wanted = parse_qs(scope["query_string"].decode()).get("client_id", [""])[0]
        mine = actor is not None and _is_theirs(wanted, actor)
        if not mine or not scope["path"].startswith(SOCKET) or not self._is_same_site(scope):
            await send({"type": "websocket.close", "code": 1008})
            return
        over = asyncio.Event()

        async def heard() -> Message:
            while True:
                coming = asyncio.ensure_future(receive())
                while not coming.done():
                    await asyncio.wait((coming,), timeout=_LOOK)
                    if not coming.done() and not over.is_set() and await self._who(scope, seen=False) != actor:
                        coming.cancel()
                        return await self._ended(over, send)
                message = coming.result()
                if message["type"] != "websocket.receive" or over.is_set():
                    return message
                verdict = _judged(message, actor)
                if verdict is None:
                    continue
                if not verdict or (_is_event(message) and await self._who(scope) != actor):
                    return await self._ended(over, send)
                return message

        async def said(message: Message) -> None:
            if not over.is_set():
                await send(message)

        await self._pages(scope, heard, said)

    async def _ended(self, over: asyncio.Event, send: Send) -> Message:
        over.set()
        await send({"type": "websocket.close", "code": 1008})
        return {"type": "websocket.disconnect", "code": 1008}

    async def _who(self, scope: Scope, *, seen: bool = True) -> Actor | None:
        token = HTTPConnection(scope).cookies.get(COOKIE)
        if not token:
            return None
        try:
            return await run_in_threadpool(authenticate, self._store, token, seen=seen)
        except NotSignedIn:
            return None

    def _is_same_site(self, scope: Scope) -> bool:
        return HTTPConnection(scope).headers.get("origin") == self._origin(scope)

    def _origin(self, scope: Scope) -> str:
        """Scheme, host and port under which people reach this server."""
        scheme = {"ws": "http", "wss": "https"}.get(scope["scheme"], scope["scheme"])
        public = urlsplit(self._public_url or f"{scheme}://{HTTPConnection(scope).headers.get('host', '')}")
        return f"{public.scheme}://{public.netloc}"


def _judged(message: Message, actor: Actor | None) -> bool | None:
    """Whether what a browser says is allowed; None: it is dropped."""
    text = message.get("text")
    if not isinstance(text, str):
        return False
    if not text.startswith("4") or text.startswith(("40", "41", "43")):
        return True  # pings, and beginning and ending a connection
    found = _EVENT.fullmatch(text)
    try:
        name, *given = json.loads(found[1]) if found else ("",)
    except ValueError:
        return False
    first: Any = given[0] if given else None
    if name not in _TAKEN:
        return None if name == "log" else False
    return isinstance(first, dict) and _is_theirs(str(first.get("client_id", "")), actor)


def _is_event(message: Message) -> bool:
    return str(message.get("text", "")).startswith(('42["event', '42["java'))


def _is_theirs(client_id: str, actor: Actor | None) -> bool:
    """Whether a page was opened in this session by the person as they are now; NiceGUI turns unknown ones away."""
    client = Client.instances.get(client_id)
    return client is None or client.request.scope.get("state", {}).get("actor") == actor
