"""What the steps do to a sample of the records: before and after of the columns they touch."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from ammg.charts.chart import Chart
from ammg.report.words import counted
from ammg.store import previews, work
from ammg.store.values import Job
from ammg.web.parts.charts import show_chart
from ammg.web.parts.job_progress import JobProgress
from ammg.web.visit import Visit


class PreviewPanel:
    """The last preview, a button for another one, and one that is under way; built where it is called."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        with ui.row().classes("w-full items-center"):
            ui.label("The steps are run on a sample of at most 1,000 records. Nothing is kept.").classes(
                "ammg-quiet grow"
            )
            self._button = ui.button("Preview on a sample", icon="visibility", on_click=self._start)
            self._button.props("outline no-caps")
            self._button.visible = visit.may_work
        self._job = ui.column().classes("w-full")
        self._body = ui.column().classes("w-full gap-4")

    async def show(self) -> None:
        """The newest preview of this person, or the one that is under way."""
        if not self._visit.may_work:
            return
        jobs = await self._visit.ask(work.list_jobs, self._visit.project_id)
        mine = [job for job in jobs if job.kind == "preview" and job.created_by == self._visit.actor.name]
        if mine and not mine[0].is_over:
            self._follow(mine[0])
        elif mine and mine[0].result.get("preview"):
            await self._filled(mine[0])

    def outdated(self) -> None:
        """Say that the steps have changed since."""
        for element in self._body:
            element.classes("ammg-old")

    async def _start(self) -> None:
        self._follow(await self._visit.ask(previews.start_preview, self._visit.project_id))

    def _follow(self, job: Job) -> None:
        async def ended(job: Job) -> None:
            self._button.enable()
            if job.state == "finished":
                await self._filled(job)
                self._job.clear()  # last: it ends the timer that called this

        self._button.disable()
        self._job.clear()
        with self._job:
            JobProgress(self._visit, job, "Preview", ended)

    async def _filled(self, job: Job) -> None:
        found = await self._visit.ask(previews.get_preview, job.id)
        self._body.clear()
        with self._body:
            _shown(found)


def _shown(found: dict[str, Any]) -> None:
    kept = counted(found["after"], "record")
    ui.label(f"{counted(found['records'], 'record')} of {found['of']:,}; {kept} after the steps.").classes("ammg-quiet")
    for number, step in enumerate(found["steps"], 1):
        told = f"{number}. {step['name'].replace('_', ' ').capitalize()}: {counted(step['cells'], 'value')} changed."
        ui.label(" ".join([told, *step["notes"]]))
    if not found["columns"]:
        ui.label("The steps change nothing in this sample.").classes("ammg-odd")
        return
    _records(found["columns"])
    with ui.element("div").classes("ammg-charts"):
        for column in found["columns"]:
            with ui.column().classes("gap-1 w-full"):
                ui.label(f"{column['name']}: {_changed(column)}").classes("font-medium")
                if column["chart"] is not None:
                    show_chart(Chart.from_dict(column["chart"]), title=False)


def _changed(column: dict[str, Any]) -> str:
    if column["is_dropped"]:
        return "removed from the file"
    return f"{100 * column['changed'] / max(column['compared'], 1):.0f} % of the values changed"


def _records(columns: list[dict[str, Any]]) -> None:
    """Some records, before and after; only the owner gets them."""
    shown = [column for column in columns if column["values"]]
    if not shown:
        return
    heads = [{"name": "n", "label": "record", "field": "n", "align": "right"}]
    heads += [
        {"name": f"c{n}", "label": column["name"], "field": f"c{n}", "align": "left"} for n, column in enumerate(shown)
    ]
    rows = [
        {"n": row + 1} | {f"c{n}": _cell(*column["values"][row]) for n, column in enumerate(shown)}
        for row in range(len(shown[0]["values"]))
    ]
    table = ui.table(columns=heads, rows=rows, row_key="n", pagination=8).props("flat dense bordered")
    table.classes("w-full").props["aria-label"] = "Records before and after"


def _cell(before: str, after: str) -> str:
    return before if before == after else f"{before} → {after}"
