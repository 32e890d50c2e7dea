"""What masking made of the file: risk and loss, pictures, records, other versions beside it, and the report."""

from __future__ import annotations

from urllib.parse import urlencode

from nicegui import ui

from ammg.charts.chart import Chart
from ammg.pipeline.evaluation import Evaluation as Measured
from ammg.report.words import counted
from ammg.store.evaluations import get_evaluation, list_evaluations
from ammg.store.masked_files import first_records, list_masked_files
from ammg.store.values import Evaluation, MaskedFile
from ammg.web.pages.shell import page
from ammg.web.parts.charts import show_chart
from ammg.web.parts.comparison import ComparedFiles
from ammg.web.parts.file_parts import part_list, report_links
from ammg.web.parts.lazy_tabs import lazy_tabs
from ammg.web.parts.limit_lights import findings, limit_lights
from ammg.web.parts.masking import MaskingPanel
from ammg.web.parts.measure_rows import measure_rows
from ammg.web.parts.moments import moment
from ammg.web.parts.pictures import correlation_maps, distribution_pages
from ammg.web.parts.records import records_table
from ammg.web.parts.states import empty, section
from ammg.web.visit import Visit

_TABS = {
    "overview": "Risk and loss",
    "pictures": "Distributions",
    "records": "Masked records",
    "compare": "Compare",
    "people": "Records at risk",
    "files": "Files and report",
}


@page("/projects/{project_id}/result", title="Result", stage="result")
async def result(visit: Visit) -> None:
    """The result of one evaluation, by default the newest."""
    found = await visit.ask(list_evaluations, visit.project_id)
    files = {one.id: one for one in await visit.ask(list_masked_files, visit.project_id)}
    await MaskingPanel(visit, expanded=not found).show()
    if not found:
        empty(
            "Nothing has been masked yet",
            "Choose methods, then make the masked file here; risk and information loss are measured at the same time."
            if visit.may_work
            else "The owner or an analyst of the project makes the masked file.",
            "query_stats",
        )
        return
    names = {one.id: _name(one, files) for one in found}
    wanted = visit.query.get("evaluation", "")
    masked = next((one for one in found if one.version), found[0])  # rather than the records as they are
    current = wanted if wanted in names else masked.id
    evaluation = await visit.ask(get_evaluation, visit.project_id, current)
    file = files.get(evaluation.masked_file_id or "")
    _chooser(visit, names, current)
    await _Result(visit, evaluation, file, names).show()


class _Result:
    """One evaluation, in tabs that are filled when they are opened."""

    def __init__(self, visit: Visit, evaluation: Evaluation, file: MaskedFile | None, names: dict[str, str]) -> None:
        self._visit, self._evaluation, self._file, self._names = visit, evaluation, file, names
        self._values = evaluation.values or {}
        self._measured = Measured.from_dict(self._values)
        self._pictures = self._values.get("pictures", {})

    async def show(self) -> None:
        with section("Limits"):
            limit_lights(self._measured)
            if self._file is not None:
                findings("Release checks failed for this file:", self._file.gate)
                report_links(self._visit, self._file)
        shown = {name: words for name, words in _TABS.items() if self._has(name)}
        fill = {name: getattr(self, f"_fill_{name}") for name in shown}
        visit, current = self._visit, self._evaluation.id
        await lazy_tabs(shown, fill, visit.query.get("tab", ""), lambda name: _address(visit, current, name))

    def _has(self, name: str) -> bool:
        if name in ("records", "files"):
            return self._file is not None
        return name != "people" or self._visit.is_owner

    async def _fill_overview(self) -> None:
        with section("In short"):
            for sentence in self._pictures.get("verdict", ()):
                ui.label(sentence).classes("ammg-prose")
            for note in self._values.get("notes", ()):
                ui.label(note).classes("ammg-prose ammg-quiet")
            if plain := self._pictures.get("risk"):
                show_chart(Chart.from_dict(plain))
        measure_rows(self._measured)
        if plain := self._pictures.get("loss"):
            with section("Loss by attribute"):
                show_chart(Chart.from_dict(plain), title=False)

    async def _fill_pictures(self) -> None:
        distribution_pages(self._pictures)
        correlation_maps(self._pictures)

    async def _fill_records(self) -> None:
        assert self._file is not None
        found = await self._visit.ask(first_records, self._visit.project_id, self._file.id)
        count = counted(found.records, "record")
        first = f"The first {len(found.rows)} of {count}" if len(found.rows) < found.records else f"All {count}"
        with section("Masked records", f"{first} of '{self._file.name}', as users will see them."):
            records_table(found.columns, found.rows, f"Masked records of {self._file.name}")

    async def _fill_compare(self) -> None:
        await ComparedFiles(self._visit, _shortened(self._names), self._evaluation.id).show()

    async def _fill_people(self) -> None:
        with section("Records at risk", "Only for you as the owner: what the measures say about single records."):
            if not self._values.get("people"):
                ui.label("No measure names single records; try special uniques, for example.")
            for one in self._values.get("people", ()):
                with ui.expansion(f"{one['measure']}: {one['what']} ({len(one['sentences'])})").classes("w-full"):
                    for sentence in one["sentences"]:
                        ui.label(sentence)

    async def _fill_files(self) -> None:
        assert self._file is not None
        part_list(self._visit, self._file)


def _chooser(visit: Visit, names: dict[str, str], current: str) -> None:
    with ui.row().classes("w-full items-center ammg-below"):
        chosen = ui.select(dict(names), value=current, label="Masked file or version").props("outlined dense")
        chosen.classes("min-w-80")
        chosen.on_value_change(lambda: ui.navigate.to(_address(visit, str(chosen.value))))


def _address(visit: Visit, evaluation_id: str, tab: str = "") -> str:
    given = {"evaluation": evaluation_id, **({"tab": tab} if tab else {})}
    return f"/projects/{visit.project_id}/result?{urlencode(given)}"


def _name(one: Evaluation, files: dict[str, MaskedFile]) -> str:
    file = files.get(one.masked_file_id or "")
    if not one.version:
        return f"unmasked records, {moment(one.created_at)}"
    what = f"{file.name} (version {one.version})" if file is not None else f"version {one.version}, measured only"
    return f"{what}, {moment(one.created_at)}"


def _shortened(names: dict[str, str]) -> dict[str, str]:
    """Names without their moment, where they differ without it."""
    short = {one: name.rpartition(", ")[0] for one, name in names.items()}
    return {one: name if list(short.values()).count(name) == 1 else names[one] for one, name in short.items()}
