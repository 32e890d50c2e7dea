"""Files on their way out."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Query
from starlette.responses import StreamingResponse

from ammg.store.values import Download

FILE: dict[str, Any] = {
    "response_class": StreamingResponse,
    "responses": {
        200: {
            "description": "The file; Repr-Digest has its SHA-256.",
            "content": {"*/*": {"schema": {"type": "string", "format": "binary"}}},
        }
    },
}
"""How a route that hands out a file is described."""

Opened = Annotated[bool, Query(description="Show a report in the browser instead of downloading it.")]


def sent(download: Download, *, opened: bool = False) -> StreamingResponse:
    """A file as an attachment; a report may be opened, in a sandbox without scripts and without this site's rights."""
    shown = opened and download.media_type == "text/html"
    headers = {
        "Content-Length": str(download.size),
        "Content-Disposition": "inline" if shown else _attached(download.name),
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    }
    if download.sha256 is not None:
        headers["Repr-Digest"] = f"sha-256=:{base64.b64encode(bytes.fromhex(download.sha256)).decode()}:"
    return StreamingResponse(download.chunks, media_type=download.media_type, headers=headers)


def lines(chunks: Iterator[str], name: str, media_type: str) -> StreamingResponse:
    """Text that is made while it is sent."""
    headers = {"Content-Disposition": _attached(name)}
    return StreamingResponse(chunks, media_type=media_type, headers=headers)


def _attached(name: str) -> str:
    """The name twice: for programs that know ASCII alone, and as it is (RFC 6266)."""
    plain = "".join(sign if sign.isascii() and sign.isprintable() and sign not in '"\\' else "_" for sign in name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
