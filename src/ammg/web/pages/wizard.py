"""Wizard: say who gets the file and what must stay, watch the search, adopt a recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from ammg.data.schema import Schema
from ammg.io.yaml_text import parse_yaml
from ammg.optimizer.modes import MODES
from ammg.projects.editing.wish import Wish, wish_of, with_wish
from ammg.store import versions, work
from ammg.store.data_sets import schema_for
from ammg.web.assets import address
from ammg.web.pages.shell import page
from ammg.web.parts.forms.wish_form import WishForm
from ammg.web.parts.recipe.search_panel import SearchPanel
from ammg.web.parts.states import empty
from ammg.web.visit import Visit


@page("/projects/{project_id}/wizard", title="Wizard", stage="wizard")
async def wizard(visit: Visit) -> None:
    """The questions, and the newest search."""
    ui.add_head_html(f'<link rel="stylesheet" href="{address("work.css")}">')
    if visit.version is None:
        with empty("There is no version yet", "Upload a file, and say what its attributes are.", icon="table_chart"):
            ui.button("Data", on_click=lambda: ui.navigate.to(f"/projects/{visit.project_id}/data")).props("no-caps")
        return
    schema = await visit.ask(schema_for, visit.project_id, visit.version.document) if visit.may_work else Schema(())
    await Wizard(visit, schema).show()


class Wizard:
    """Questions on the left, the search on the right."""

    def __init__(self, visit: Visit, schema: Schema) -> None:
        self._visit = visit
        assert visit.version is not None
        with ui.element("div").classes("ammg-wizard"):
            with ui.element("div"):
                if visit.may_work:
                    wish = wish_of(parse_yaml(visit.version.text))
                    self._form = WishForm(schema, wish, self._told)
                    with ui.row().classes("items-center"):
                        self._button = ui.button("Search", icon="auto_fix_high", on_click=self._start)
                        self._button.props("unelevated no-caps")
                        ui.label("Your answers become a version of the project, and so does the result.").classes(
                            "ammg-hint"
                        )
                else:
                    ui.label("Only the owner and the analysts of the project can start searches.").classes("ammg-quiet")
            with ui.element("div"):
                self._panel = SearchPanel(visit)

    async def show(self) -> None:
        """The newest search, and whether another can start."""
        await self._panel.show_last()
        if self._visit.may_work:
            self._told()

    def _told(self) -> None:
        self._button.set_enabled(not self._form.problems)

    async def _start(self) -> None:
        self._form.check()
        if self._form.problems:
            return
        self._button.disable()
        try:
            version = await self._visit.ask(versions.get_version, self._visit.project_id)
            before: Mapping[str, Any] = parse_yaml(version.text)
            document = with_wish(before, self._form.wish)
            number = version.number
            if document != before:
                made = await self._visit.ask(
                    versions.create_version, self._visit.project_id, document, _remark(self._form.wish), number
                )
                number = made.number
            job = await self._visit.ask(work.start_search, self._visit.project_id, number)
        finally:
            self._button.enable()
        await self._panel.follow(job)


def _remark(wish: Wish) -> str:
    mode = MODES[wish.mode].title.lower() if wish.mode else "own limits"
    return f"goal of a search: {mode}"
