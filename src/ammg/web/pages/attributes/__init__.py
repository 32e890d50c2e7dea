"""The second stage: what each attribute is, how it may be coarsened, which rules hold, what an intruder knows."""

from __future__ import annotations

from nicegui import ui

from ammg.store.data_sets import analysis, list_data_sets
from ammg.store.values import DataSet
from ammg.store.versions import propose_version
from ammg.web.pages.attributes.desk import Desk
from ammg.web.pages.attributes.hierarchies import hierarchies
from ammg.web.pages.attributes.risk import risk
from ammg.web.pages.attributes.rules import rules
from ammg.web.pages.attributes.scenario import scenario
from ammg.web.pages.attributes.table import table
from ammg.web.pages.shell import page
from ammg.web.parts.states import empty
from ammg.web.visit import Visit

TABS = {
    "attributes": ("Attributes", table),
    "hierarchies": ("Hierarchies", hierarchies),
    "rules": ("Edit rules", rules),
    "scenario": ("Intruder", scenario),
    "risk": ("Risk of the unmasked file", risk),
}


@page("/projects/{project_id}/attributes", title="Attributes", stage="attributes")
async def attributes(visit: Visit) -> None:
    """The tabs; each is filled when it is opened."""
    source = _source(visit, await visit.ask(list_data_sets, visit.project_id))
    if source is None:
        with empty(
            "There are no data to describe", "Upload a file first, and wait until it has been read.", "table_chart"
        ):
            _go(visit, "data", "Go to the data")
        return
    if not visit.may_work:
        empty("This stage is for the people who prepare the file", "You can see the result and the release.", "lock")
        return
    if visit.version is None:
        _propose(visit, source)
        return
    desk = Desk(visit, source, await visit.ask(analysis, visit.project_id, source.id))
    first = visit.query.get("tab", "attributes")
    with ui.tabs().props("no-caps dense align=left").classes("ammg-below") as tabs:
        for name, (words, _) in TABS.items():
            ui.tab(name, words)
    tabs.value = first if first in TABS else "attributes"
    panel = ui.column().classes("w-full gap-0")

    async def show(name: str) -> None:
        panel.clear()
        with panel:
            await TABS[name][1](desk)

    async def changed() -> None:
        ui.run_javascript(f"history.replaceState(history.state, '', '?tab={tabs.value}')")
        await show(str(tabs.value))

    tabs.on_value_change(changed)
    await show(str(tabs.value))


def _source(visit: Visit, found: tuple[DataSet, ...]) -> DataSet | None:
    """The data set of the current version, else what was read last."""
    ready = [one for one in found if one.state == "ready" and one.records is not None]
    said = visit.version.document.get("source") if visit.version else None
    named = said.get("path") if isinstance(said, dict) else said
    return next((one for one in ready if one.name == named), ready[-1] if ready and not visit.version else None)


def _propose(visit: Visit, source: DataSet) -> None:
    async def accept() -> None:
        await visit.ask(propose_version, visit.project_id, source.id)
        ui.navigate.reload()

    with empty(
        "Begin with a proposal",
        f"The analysis proposes a role, a kind and a level for every attribute of {source.name}, each "
        "with its reason. Check them and change what is wrong.",
        "auto_awesome",
    ):
        ui.button("Accept the proposal", on_click=accept).props("unelevated no-caps")


def _go(visit: Visit, stage: str, words: str) -> None:
    place = f"/projects/{visit.project_id}/{stage}"
    ui.button(words, on_click=lambda: ui.navigate.to(place)).props("unelevated no-caps")
