"""Methods: the steps in order, a preview, risk and loss in sight, and every version one can go back to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nicegui import ui

from ammg.data.schema import Schema
from ammg.errors import AmmgError
from ammg.io.yaml_text import parse_yaml
from ammg.projects.draft import Draft
from ammg.projects.editing.steps import Step, moved_step, steps_of, switched_step, with_step, without_step
from ammg.projects.python_code import as_python
from ammg.store import versions
from ammg.store.data_sets import schema_for
from ammg.store.values import Version
from ammg.web.assets import address
from ammg.web.pages.shell import page
from ammg.web.parts.notices import tell, tell_error
from ammg.web.parts.recipe.history import History
from ammg.web.parts.recipe.preview_panel import PreviewPanel
from ammg.web.parts.recipe.risk_panel import RiskPanel
from ammg.web.parts.recipe.step_editor import choose_method, edit_step
from ammg.web.parts.recipe.step_list import show_steps
from ammg.web.parts.states import empty, section
from ammg.web.visit import Visit


@page("/projects/{project_id}/methods", title="Methods", stage="methods")
async def methods(visit: Visit) -> None:
    """The recipe of the current version."""
    ui.add_head_html(f'<link rel="stylesheet" href="{address("work.css")}">')
    if visit.version is None:
        with empty("There is no version yet", "Upload a file, and say what its attributes are.", icon="table_chart"):
            ui.button("Data", on_click=lambda: ui.navigate.to(f"/projects/{visit.project_id}/data")).props("no-caps")
        return
    schema = await visit.ask(schema_for, visit.project_id, visit.version.document) if visit.may_work else Schema(())
    bench = Workbench(visit, visit.version, schema)
    await bench.show()


class Workbench:
    """The current version, and what can be done with its steps: each change is a new version."""

    def __init__(self, visit: Visit, version: Version, schema: Schema) -> None:
        self._visit, self._version, self._schema = visit, version, schema
        self._parsed: tuple[int, Mapping[str, Any]] = (0, {})
        with ui.element("div").classes("ammg-bench") as self._root:
            with ui.element("div").classes("ammg-bench-main"):
                with section("Steps"):
                    self._steps = ui.column().classes("w-full")
                    with ui.row():
                        if visit.may_work:
                            ui.button("Add a method", icon="add", on_click=self._add).props("unelevated no-caps")
                            ui.button(
                                "Wizard", icon="auto_fix_high", on_click=lambda: ui.navigate.to(self._page("wizard"))
                            ).props("flat no-caps")
                self._tabs()
            with ui.element("aside").classes("ammg-bench-side").props('aria-label="Risk and loss"'):
                self._panel = RiskPanel(visit)

    async def show(self) -> None:
        """Everything about the current version."""
        self._list()
        self._texts()
        await self._panel.show(self._version.number)
        await self._history.show()
        await self._preview.show()

    async def move(self, position: int, to: int) -> None:
        """Put a step elsewhere."""
        title = self._titled(position)
        await self._keep(moved_step(self._document, position, to), f"moved {title} to place {to + 1}")

    async def switch(self, position: int) -> None:
        """Switch a step off or on."""
        word = "on" if steps_of(self._document)[position].is_off else "off"
        await self._keep(switched_step(self._document, position), f"switched {self._titled(position)} {word}")

    async def edit(self, position: int) -> None:
        """Open a step."""
        changed = await edit_step(steps_of(self._document)[position], self._schema, is_new=False)
        if changed is not None:
            await self._keep(with_step(self._document, changed, position), f"changed {self._titled(position)}")

    async def remove(self, position: int) -> None:
        """Take a step out; the version before still has it."""
        await self._keep(without_step(self._document, position), f"removed {self._titled(position)}")

    async def _add(self) -> None:
        name = await choose_method()
        if name is None:
            return
        step = await edit_step(Step(name), self._schema, is_new=True)
        if step is not None:
            await self._keep(with_step(self._document, step), f"added {step.title.lower()}")

    async def _keep(self, document: Mapping[str, Any], remark: str) -> None:
        """Make a version of a document that was changed from the one that is shown."""
        with self._root:  # the button that was pressed goes when the list is made again
            try:
                self._version = await self._visit.ask(
                    versions.create_version, self._visit.project_id, document, remark[:500], self._version.number
                )
                tell(f"Version {self._version.number}: {remark}.")
            except AmmgError as error:
                tell_error(error)
                self._list()  # what was dragged goes back
                return
            await self._changed()

    async def _go_back(self, number: int) -> None:
        with self._root:
            await self._visit.ask(versions.go_back, self._visit.project_id, number)
            self._version = await self._visit.ask(versions.get_version, self._visit.project_id)
            tell(f"Version {number} is the current one.")
            await self._changed()

    async def _changed(self) -> None:
        self._list()
        self._texts()
        self._preview.outdated()
        await self._panel.show(self._version.number)
        await self._history.show()

    @property
    def _document(self) -> Mapping[str, Any]:
        # From the text: the document of a version has texts where YAML has dates and numbers as keys.
        if self._parsed[0] != self._version.number:  # hundreds of attributes take a while to read
            self._parsed = self._version.number, parse_yaml(self._version.text)
        return self._parsed[1]

    def _titled(self, position: int) -> str:
        return f"step {position + 1}, {steps_of(self._document)[position].title.lower()}"

    def _page(self, name: str) -> str:
        return f"/projects/{self._visit.project_id}/{name}"

    def _list(self) -> None:
        self._steps.clear()
        with self._steps:
            show_steps(steps_of(self._document), self, may_work=self._visit.may_work)

    def _tabs(self) -> None:
        with ui.card().classes("ammg-card"):
            with ui.tabs().props('dense no-caps align=left aria-label="About the steps"').classes("w-full") as tabs:
                preview, history = ui.tab("Preview"), ui.tab("History")
                text, python = ui.tab("As project file"), ui.tab("As Python")
            with ui.tab_panels(tabs, value=preview).classes("w-full ammg-panels").props("keep-alive"):
                with ui.tab_panel(preview):
                    self._preview = PreviewPanel(self._visit)
                with ui.tab_panel(history):
                    self._history = History(self._visit, self._go_back)
                with ui.tab_panel(text):
                    self._text = ui.column().classes("w-full")
                with ui.tab_panel(python):
                    self._python = ui.column().classes("w-full")

    def _texts(self) -> None:
        """The version as a project file and as Python, to read and to take away."""
        program = as_python(Draft.parse(self._document).project)
        for place, text, part in ((self._text, self._version.text, "file"), (self._python, program, "python")):
            place.clear()
            with place:
                target = f"/api/v1/projects/{self._visit.project_id}/versions/{self._version.number}/{part}"
                ui.link(f"Download version {self._version.number}", target).props("download")
                shown = ui.label(text).classes("w-full ammg-code ammg-pre").props('tabindex="0" role="region"')
                shown.props["aria-label"] = "Project file" if part == "file" else "Python program"
