"""What every request passes: a number, a limit on its size, headers that keep browsers strict, one line in the log."""

from __future__ import annotations

import re
import secrets
import time

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ammg.web.errors import answered, unforeseen
from ammg.web.logs import told, told_error

BODY_BYTES = 16 * 2**20
"""Largest body of requests that are read whole; uploads have a limit of their own."""

_UPLOAD = re.compile(r"/api/v1/projects/[^/]+/data-sets/?")
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_GONE = 499
"""For the log: the sender went away in the middle of a body."""
_TLS = {"Strict-Transport-Security": "max-age=31536000"}


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, number, status = time.perf_counter(), secrets.token_hex(8), 0

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in (_HEADERS | (_TLS if scope["scheme"] == "https" else {})).items():
                    headers.setdefault(name, value)
                headers["X-Request-Id"] = number
            await send(message)

        try:
            await self._passed(scope, receive, sent)
        except ClientDisconnect:
            status = _GONE
        except Exception as error:
            told_error(error, request=number)
            if status == 0:
                await unforeseen()(scope, receive, sent)
            else:
                raise ConnectionAbortedError from None  # the answer has begun: it must not look whole
        finally:
            route = getattr(scope.get("route"), "path", "")  # with {names} in place of what was asked for
            told(
                "request",
                request=number,
                method=scope["method"] if route else "",
                route=route,
                status=status,
                milliseconds=round(1000 * (time.perf_counter() - begun), 1),
                user=scope.get("state", {}).get("user", ""),
            )

    async def _passed(self, scope: Scope, receive: Receive, send: Send) -> None:
        if _UPLOAD.fullmatch(scope["path"]):
            await self._app(scope, receive, send)
            return
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if announced.isdigit() and int(announced) > BODY_BYTES:
            await _too_large()(scope, receive, send)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > BODY_BYTES:
                raise HTTPException(413, _TOO_LARGE)
            return message

        await self._app(scope, counted, send)


_TOO_LARGE = f"The body is larger than {BODY_BYTES // 2**20} MiB: send data as an upload."


def _too_large() -> ASGIApp:
    return answered(413, _TOO_LARGE, headers={"Connection": "close"})
