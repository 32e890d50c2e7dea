"""Pages for people, on the same functions of the store as the API: NiceGUI, served without anything from elsewhere."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from nicegui import app as nicegui
from nicegui import ui

from ammg.store.store import Store
from ammg.web.pages import (
    account,
    administration,
    attributes,
    data,
    methods,
    release,
    released,
    result,
    start,
    wizard,
)
from ammg.web.pages.gate import Gate
from ammg.web.pages.shell import install_rest

PAGES = (start, account, data, attributes, methods, wizard, result, release, released, administration)
"""Modules whose functions are pages; importing them registers the pages."""

COLOURS = {
    "primary": "#1f5a82",
    "secondary": "#4a6b7c",
    "accent": "#8a4f7d",
    "positive": "#2e7d4f",
    "negative": "#b3382c",
    "warning": "#9a6700",
    "info": "#1f5a82",
    "dark": "#1b232b",
    "dark_page": "#12181e",
}


def install(app: FastAPI, store: Store) -> None:
    """Serve the pages at every address that no route of the application takes; once in a process."""
    carrier = FastAPI(openapi_url=None)
    nicegui.config.socket_io_js_transports = ["websocket"]
    nicegui.colors(**COLOURS)
    ui.run_with(
        carrier,
        title="AMMG",
        language="en-US",
        dark=None,
        gzip_middleware_factory=None,
        show_welcome_message=False,
        reconnect_timeout=20.0,
    )
    install_rest()
    app.router.default = Gate(carrier, store, app.state.public_url)
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(served: FastAPI) -> AsyncIterator[Any]:
        async with carrier.router.lifespan_context(carrier), inner(served) as state:
            yield state

    app.router.lifespan_context = lifespan
