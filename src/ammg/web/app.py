"""The application: routes, errors, guard and documentation on one store."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from threading import Event
from typing import Any

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from ammg.store.store import Store
from ammg.version import __version__
from ammg.web import assets, documentation, doors, errors
from ammg.web.guard import Guard
from ammg.web.routes import PUBLIC, ROUTERS

API = "/api/v1"
_DESCRIPTION = (
    "Mask microdata, measure disclosure risk and information loss, review and release. Sign in (`POST /session`, then "
    "the cookie) or send a token (`Authorization: Bearer …`). Long work is a job: its id comes back at once."
)


def create_app(store: Store, work: AbstractContextManager[Any] | None = None, public_url: str = "") -> FastAPI:
    """The web on a store; `work` runs the jobs while the application does.

    `public_url` is the address that people use, where a proxy makes it another one than the server sees.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        running = work or nullcontext()
        await run_in_threadpool(running.__enter__)
        try:
            yield
        finally:
            app.state.stopping.set()
            await run_in_threadpool(running.__exit__, None, None, None)

    app = FastAPI(
        title="AMMG",
        version=__version__,
        description=_DESCRIPTION,
        openapi_url=f"{API}/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        generate_unique_id_function=lambda route: route.name,
        separate_input_output_schemas=False,
    )
    app.state.store = store
    app.state.public_url = public_url.rstrip("/")
    app.state.stopping = Event()
    for router in PUBLIC:
        app.include_router(router, prefix=API)
    for router in ROUTERS:
        app.include_router(router, prefix=API, responses=errors.refusals(400, 401, 403, 404, 409, 413, 422, 503))
    documentation.install(app, API)
    assets.install(app)
    doors.install(app)
    errors.install(app)
    app.add_middleware(Guard)
    return app
