"""The documentation of the API as a page, without anything from the internet."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path

from fastapi import FastAPI
from starlette.responses import FileResponse, HTMLResponse, Response

_FILES = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css"}
_POLICY = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "frame-ancestors 'none'"
}
_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>AMMG API</title><link rel="stylesheet" href="{docs}/swagger-ui.css"></head>
<body><div id="page"></div>
<script src="{docs}/swagger-ui-bundle.js"></script><script src="{docs}/start.js"></script></body>
</html>
"""
_SCRIPT = 'SwaggerUIBundle({{url: "{url}", dom_id: "#page", deepLinking: true, validatorUrl: null}});\n'


def install(app: FastAPI, prefix: str) -> None:
    """Serve the page under `docs`, with the files of Swagger UI that the package fastapi-offline brings along."""
    found = find_spec("fastapi_offline")
    if found is None or found.origin is None:
        return
    folder, docs = Path(found.origin).parent / "static", f"{prefix}/docs"

    async def page() -> HTMLResponse:
        return HTMLResponse(_PAGE.format(docs=docs), headers=_POLICY)

    async def start() -> Response:
        return Response(_SCRIPT.format(url=f"{prefix}/openapi.json"), media_type="text/javascript")

    app.add_api_route(docs, page, include_in_schema=False)
    app.add_api_route(f"{docs}/start.js", start, include_in_schema=False)
    for name, kind in _FILES.items():
        app.add_api_route(f"{docs}/{name}", _file(folder / name, kind), include_in_schema=False)


def _file(path: Path, kind: str) -> Callable[[], Awaitable[FileResponse]]:
    async def file() -> FileResponse:
        return FileResponse(path, media_type=kind, headers={"Cache-Control": "max-age=86400"})

    return file
