"""Running the server: how it begins, how it ends."""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType

import uvicorn
from fastapi import FastAPI

from ammg.jobs.runner import JobRunner
from ammg.store.people import first_link
from ammg.store.settings import Settings
from ammg.store.store import open_store
from ammg.web.app import create_app
from ammg.web.doors import WELCOME
from ammg.web.listener import Listener
from ammg.web.logs import configure

PATIENCE = 10
"""Seconds that requests and jobs have to end when the server stops."""


class Server(uvicorn.Server):
    """A server that tells its streams when it is asked to stop, so that they end before it waits for them."""

    def __init__(self, app: FastAPI, listener: Listener) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                host=listener.host,
                port=listener.port,
                ssl_certfile=listener.certificate,
                ssl_keyfile=listener.key,
                proxy_headers=bool(listener.proxy),
                forwarded_allow_ips=listener.proxy or None,
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=PATIENCE,
                timeout_keep_alive=75,  # longer than proxies keep a connection, so that they are never cut off
                limit_concurrency=1000,
                h11_max_incomplete_event_size=64 * 1024,
            )
        )
        self._app = app

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop accepting, end streams, let requests finish; a second Ctrl-C does not wait for them."""
        self._app.state.stopping.set()
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = True


def serve(settings: Settings, listener: Listener, say: Callable[[str], None]) -> None:
    """Open the store, run jobs and answer requests until a signal comes."""
    from ammg.web import pages  # here: only a server that people open loads what pages need

    configure()
    store = open_store(settings)
    try:
        if token := first_link(store):
            say("There is no account yet. The first person to open this link becomes the administrator:")
            say(invited(listener.url, token))
        app = create_app(store, JobRunner(store), listener.public_url)
        pages.install(app, store)
        say(f"AMMG is running at {listener.url} (API: {listener.url}/api/v1/docs). Stop it with Ctrl-C.")
        Server(app, listener).run()
    finally:
        store.close()


def invited(url: str, token: str) -> str:
    """A link with a one-time token; behind the #, so that it is in no log and no referrer."""
    return f"{url}{WELCOME}#{token}"
