"""Style sheets and scripts of our own pages, served as they lie here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from fastapi import FastAPI
from starlette.responses import FileResponse

from ammg.version import __version__

_KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_FOLDER = Path(__file__).parent


def address(name: str) -> str:
    """Where a browser finds a file; another version of AMMG has other addresses, so that no old file is shown."""
    return f"/assets/{__version__}/{name}"


def install(app: FastAPI) -> None:
    """Serve the files; they are the same for everybody and need no session."""
    for path in sorted(_FOLDER.iterdir()):
        if path.suffix in _KINDS:
            app.add_api_route(address(path.name), _sent(path), include_in_schema=False)


def _sent(path: Path) -> Callable[[], Awaitable[FileResponse]]:
    async def sent() -> FileResponse:
        return FileResponse(path, media_type=_KINDS[path.suffix], headers={"Cache-Control": "max-age=3600"})

    return sent
