"""The frame of every page: who is there, the project, the stages from data to release."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable

from nicegui import ui
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from ammg.errors import AmmgError, NotFound, Refusal
from ammg.store.projects import get_project
from ammg.store.versions import get_version
from ammg.version import __version__
from ammg.web.assets import address
from ammg.web.parts.notices import tell_error
from ammg.web.parts.states import problem
from ammg.web.visit import Visit

THEME = "ammg_theme"
"""Cookie with "dark" or "light"; without it the page follows the system."""

STAGES = (
    ("data", "Data"),
    ("attributes", "Attributes"),
    ("methods", "Methods"),
    ("wizard", "Wizard"),
    ("result", "Result"),
    ("release", "Release"),
)
"""The way of a file, with the wizard beside the methods; each is a page under /projects/{project_id}."""

_SLOW = 60.0
"""Seconds that a page may take on a loaded machine; what is slow by nature is a job."""
_SWITCH = f"""() => {{
  const dark = !Quasar.Dark.isActive;
  setDark(dark);
  document.cookie = `{THEME}=${{dark ? "dark" : "light"}};path=/;max-age=31536000;samesite=strict`;
}}"""
_SIGN_OUT = "() => fetch('/api/v1/session', {method: 'DELETE'}).finally(() => location.assign('/login'))"

Shown = Callable[[Visit], Awaitable[None]]


def page(path: str, *, title: str, stage: str = "") -> Callable[[Shown], Shown]:
    """Register a page; the function gets the visit and fills the middle of the frame.

    An address with {project_id} is about that project: for whoever is no member of it, it does not exist.
    """

    def registered(show: Shown) -> Shown:
        async def built() -> None:
            request = ui.context.client.request
            _prepare(request)
            try:
                visit = await run_in_threadpool(_visited, request)
            except AmmgError as error:
                frame(None, "Not found", "")
                _refused(error)
                return
            with frame(visit, title, stage):
                try:
                    await show(visit)
                except AmmgError as error:
                    _refused(error)

        ui.page(path, title=f"{title} · AMMG", response_timeout=_SLOW)(built)
        return show

    return registered


def install_rest() -> None:
    """Answer every other address; after all pages are registered."""

    @page("/{rest:path}", title="Not found")
    async def rest(visit: Visit) -> None:
        raise NotFound("There is nothing at this address.")


def frame(visit: Visit | None, title: str, stage: str) -> ui.element:
    """Header and footer around the middle, which is returned."""
    with ui.header(bordered=True).classes("ammg-header"), ui.row().classes("ammg-bar"):
        ui.link("Skip to the content", "#content").classes("ammg-skip")
        ui.link("AMMG", "/").classes("ammg-brand").tooltip("All projects")
        if visit is not None and visit.about is not None:
            ui.icon("chevron_right").classes("ammg-quiet")
            name = ui.link(visit.about.name, f"/projects/{visit.about.id}/data").classes("ammg-project")
            name.props["title"] = visit.about.name  # a long one is cut
            _stages(visit.about.id, stage)
        ui.space()
        ui.button(icon="contrast").props('flat round dense aria-label="Light or dark"').tooltip("Light or dark").on(
            "click", js_handler=_SWITCH
        )
        if visit is not None:
            _account(visit)
    with ui.element("main").props('id="content" tabindex="-1"').classes("ammg-main") as middle:
        ui.label(title).props('role="heading" aria-level="1"').classes("ammg-title")
    with ui.footer(fixed=False).classes("ammg-footer"):
        ui.label(f"AMMG {__version__}")
        ui.link("API", "/api/v1/docs")
    return middle


def _stages(project_id: str, current: str) -> None:
    with ui.element("nav").props('aria-label="Stages"').classes("ammg-stages"):
        for name, words in STAGES:
            link = ui.link(words, f"/projects/{project_id}/{name}").classes(f"ammg-stage ammg-stage-{name}")
            if name == current:
                link.classes("ammg-current").props('aria-current="page"')


def _account(visit: Visit) -> None:
    with (
        ui.button(visit.actor.name, icon="person").props('flat no-caps dense aria-label="Account"'),
        ui.menu().props("auto-close"),
    ):
        ui.menu_item("Projects", lambda: ui.navigate.to("/"))
        ui.menu_item("Account", lambda: ui.navigate.to("/account"))
        if visit.actor.is_administrator:
            ui.menu_item("Administration", lambda: ui.navigate.to("/administration"))
        ui.separator()
        ui.menu_item("Sign out").on("click", js_handler=_SIGN_OUT)


def _prepare(request: Request) -> None:
    client = ui.context.client
    theme = request.cookies.get(THEME)
    client.page = copy.copy(client.page)  # the page is shared by everybody, its theme is not
    client.page.dark = {"dark": True, "light": False}.get(theme or "")
    ui.add_head_html(f'<link rel="stylesheet" href="{address("ammg.css")}">')
    ui.add_body_html(f'<script defer src="{address("shell.js")}"></script>')
    client.on_exception(tell_error)


def _visited(request: Request) -> Visit:
    store, actor = request.state.store, request.state.actor
    given = dict(request.path_params)
    about = get_project(store, actor, given["project_id"]) if "project_id" in given else None
    version = get_version(store, actor, about.id) if about is not None and about.version else None
    return Visit(store, actor, given, dict(request.query_params), about, version, request.state.origin)


def _refused(error: AmmgError) -> None:
    status = error.status if isinstance(error, Refusal) else 422
    ui.context.client.status_code = status
    problem("There is nothing here" if isinstance(error, NotFound) else "This cannot be shown", str(error))
