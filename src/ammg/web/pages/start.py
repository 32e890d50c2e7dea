"""The first page: all projects, a new one, and samples to click through."""

from __future__ import annotations

from nicegui import ui

from ammg.store.projects import STATES, create_project, overview
from ammg.store.samples import SAMPLES, create_sample
from ammg.store.values import ProjectLine
from ammg.web.pages.shell import page
from ammg.web.parts.moments import ago
from ammg.web.parts.questions import asking
from ammg.web.parts.states import empty
from ammg.web.parts.tables import link_table
from ammg.web.visit import Visit

_STAGE = {"new": "data", "data": "attributes", "prepared": "methods", "masked": "result"}
"""Where one goes on; from the review on it is the release."""


@page("/", title="Projects")
async def projects(visit: Visit) -> None:
    """The projects of the person."""
    lines = await visit.ask(overview)
    if not lines:
        with empty(
            "There is no project yet",
            "A project holds the data that you want to mask, and every decision about it. Create one, or "
            "explore a sample first.",
            icon="folder_open",
        ):
            ui.button("New project", on_click=lambda: _ask_name(visit)).props("unelevated no-caps")
            ui.button("Try a sample", on_click=lambda: _choose_sample(visit)).props("outline no-caps")
        return
    with ui.row().classes("w-full items-center gap-3 ammg-below"):
        search = ui.input(placeholder="Search").props('dense outlined clearable aria-label="Search projects"')
        search.classes("w-64")
        choices = {"": "All states", **{state: state.capitalize() for state in STATES}}
        state = ui.select(choices, value="").props('dense outlined aria-label="State"').classes("w-40")
        ui.space()
        ui.button("Try a sample", icon="science", on_click=lambda: _choose_sample(visit)).props("outline no-caps")
        ui.button("New project", icon="add", on_click=lambda: _ask_name(visit)).props("unelevated no-caps")
    table = link_table(
        [
            ("name", "Project", "left"),
            ("state", "State", "left"),
            ("role", "Your role", "left"),
            ("owner", "Owner", "left"),
            ("changed", "Last change", "left"),
        ],
        [_row(line) for line in lines],
        label="Projects",
    )
    search.on_value_change(lambda: _filter(table, lines, search.value or "", state.value or ""))
    state.on_value_change(lambda: _filter(table, lines, search.value or "", state.value or ""))


def _row(line: ProjectLine) -> dict[str, str]:
    project = line.project
    stage = _STAGE.get(line.state, "release")
    if stage == "attributes" and project.role == "reviewer":
        stage = "data"
    return {
        "id": project.id,
        "name": project.name,
        "href": f"/projects/{project.id}/{stage}",
        "note": project.description,
        "state": line.state.capitalize(),
        "role": project.role.capitalize(),
        "owner": project.owner,
        "changed": ago(line.changed_at),
    }


def _filter(table: ui.table, lines: tuple[ProjectLine, ...], words: str, state: str) -> None:
    wanted = words.casefold().split()
    table.rows = [
        _row(line)
        for line in lines
        if all(word in f"{line.project.name} {line.project.description}".casefold() for word in wanted)
        and state in ("", line.state)
    ]


def _ask_name(visit: Visit) -> None:
    with asking("New project") as dialog:
        name = ui.input("Name").props("outlined autofocus").classes("w-full")
        words = ui.textarea("Description (optional)").props("outlined rows=3").classes("w-full")

        async def create() -> None:
            made = await visit.ask(create_project, name.value or "", words.value or "")
            ui.navigate.to(f"/projects/{made.id}/data")

        name.on("keydown.enter", create)
        with ui.row().classes("w-full justify-end"):
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
            ui.button("Create", on_click=create).props("unelevated no-caps")


def _choose_sample(visit: Visit) -> None:
    with asking("Try a sample") as dialog:
        ui.label("You get your own copy, which you can change and remove.").classes("ammg-quiet")
        for which, (name, words) in SAMPLES.items():

            async def create(which: str = which) -> None:
                dialog.close()
                made = await visit.ask(create_sample, which)
                ui.navigate.to(f"/projects/{made.id}/data")

            with ui.row().classes("w-full items-center no-wrap"):
                with ui.column().classes("gap-0 grow"):
                    ui.label(name).classes("font-medium")
                    ui.label(words).classes("ammg-quiet")
                ui.button("Open", on_click=create).props(f'outline no-caps aria-label="Open {name}"')
        with ui.row().classes("w-full justify-end"):
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
