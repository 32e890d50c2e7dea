"""A search as it goes on: the frontier of risk and loss, each point with its recipe in words, and taking one over."""

from __future__ import annotations

from nicegui import ui

from ammg.charts.chart import Chart
from ammg.report.words import counted
from ammg.store import searches, versions, work
from ammg.store.searches import SearchPoint, SearchPoints
from ammg.store.values import Job
from ammg.web.parts.charts import show_chart, update_chart
from ammg.web.parts.job_progress import JobProgress
from ammg.web.parts.notices import tell
from ammg.web.parts.states import section
from ammg.web.visit import Visit

_PAUSE = 2.0
_SHOWN = 12
"""Points that are listed: those on the frontier, of least loss."""
_FARTHEST = 20.0
"""Multiples of a limit beyond which a point is drawn at the edge."""


class SearchPanel:
    """Follows one search, or shows the last one; built where it is called."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._job: Job | None = None
        self._seen: SearchPoints | None = None
        self._chart: ui.echart | None = None
        self._looks, self._is_looking = 0, False
        with section("Search") as self._card:
            self._progress = ui.column().classes("w-full")
            self._words = ui.label().classes("ammg-quiet").props('role="status"')
            self._map = ui.column().classes("w-full")
            self._list = ui.column().classes("w-full gap-2").props('role="list" aria-label="Recipes found"')
        self._card.visible = False
        self._timer = ui.timer(_PAUSE, self._look, active=False)

    @property
    def is_running(self) -> bool:
        """Whether a search is under way."""
        return self._job is not None and not self._job.is_over

    async def show_last(self) -> None:
        """The newest search of the project, if there was one."""
        jobs = await self._visit.ask(work.list_jobs, self._visit.project_id)
        job = next((job for job in jobs if job.kind == "search"), None)
        if job is not None:
            await self.follow(job)

    async def follow(self, job: Job) -> None:
        """Show a search from now on."""
        self._job, self._seen = job, None
        self._card.visible, self._map.visible = True, False
        self._progress.clear()
        self._list.clear()
        if not job.is_over:
            with self._progress:
                JobProgress(self._visit, job, "Searching", self._ended)
            self._timer.activate()
        elif job.state == "failed":
            with self._progress:
                ui.label(f"The last search failed: {job.reason}").classes("ammg-bad")
        await self._look()

    async def _ended(self, job: Job) -> None:
        self._job = job
        self._timer.deactivate()
        await self._look(again=True)
        if job.state != "failed":
            self._progress.clear()  # last: it ends the timer that called this

    async def _look(self, again: bool = False) -> None:
        if self._job is None or (self._is_looking and not again):
            return
        self._is_looking = True
        self._looks = look = self._looks + 1
        try:
            found = await self._visit.ask(searches.search_points, self._job.id)
            current = await self._visit.ask(versions.list_versions, self._visit.project_id)
        finally:
            self._is_looking = False
        if look == self._looks and (found != self._seen or again):  # what was asked for last is what is shown
            self._seen = found
            self._shown(found, next((one.number for one in current if one.is_current), 0))

    def _shown(self, found: SearchPoints, current: int) -> None:
        self._words.text = _told(found)
        if found.points:
            self._drawn(found)
        self._list.clear()
        with self._list:
            for point in _listed(found):
                self._point(point, found, current)
            for note in found.notes:
                ui.label(note).classes("ammg-odd")

    def _drawn(self, found: SearchPoints) -> None:
        chart = _map(found)
        self._map.visible = True
        if self._chart is None:
            with self._map:
                self._chart = show_chart(chart, numbers=False)
        else:
            update_chart(self._chart, chart)

    def _point(self, point: SearchPoint, found: SearchPoints, current: int) -> None:
        with ui.row().classes("ammg-step no-wrap w-full").props('role="listitem"'):
            icon = (
                ui.icon("check_circle" if point.is_safe else "cancel")
                .props('role="img" aria-hidden="false"')
                .classes("text-lg")
            )
            icon.classes("ammg-good" if point.is_safe else "ammg-bad")
            icon.props["aria-label"] = "meets all limits" if point.is_safe else "breaks a limit"
            with ui.column().classes("grow gap-0 ammg-step-text"):
                with ui.row().classes("items-center gap-2"):
                    ui.label(f"Loss {point.loss:.3g}").classes("font-medium")
                    if point.rank:
                        ui.label(point.rank).classes("ammg-tag")
                ui.label(point.words).classes("ammg-words")
                risks = ", ".join(f"{name.replace('_', ' ')} {value:.3g}" for name, value in point.risks.items())
                ui.label(risks).classes("ammg-hint")
            self._adopting(point, found, current)

    def _adopting(self, point: SearchPoint, found: SearchPoints, current: int) -> None:
        if point.rank == "chosen" and found.found_version == current:
            ui.label(f"Version {current}, the current one").classes("ammg-good")
        elif self._visit.may_work:
            words = "Adopt" if point.is_safe else "Adopt anyway"
            button = ui.button(words, on_click=lambda: self._adopt(point, found)).props("outline dense no-caps")
            button.props["aria-label"] = f"{words}: {point.words}"

    async def _adopt(self, point: SearchPoint, found: SearchPoints) -> None:
        with self._card:  # the button that was pressed goes when the list is made again
            if point.rank == "chosen" and found.found_version is not None:
                number = found.found_version
                await self._visit.ask(versions.go_back, self._visit.project_id, number)
            else:
                number = (await self._visit.ask(searches.adopt_point, found.job_id, point.key)).number
            tell(f"Version {number} has this recipe and is the current one.")
            await self._look(again=True)


def _listed(found: SearchPoints) -> list[SearchPoint]:
    """What people choose from: the choice and its runners-up, then the frontier from the least loss up."""
    ranked = [point for point in found.points if point.rank]
    others = [point for point in found.points if point.on_frontier and not point.rank]
    return [*ranked, *sorted(others, key=lambda point: (not point.is_safe, point.loss))][:_SHOWN]


def _told(found: SearchPoints) -> str:
    if found.reason:
        return found.reason
    safe = len([point for point in found.points if point.is_safe])
    tried = f"{counted(found.tried, 'recipe')} tried, {len(found.points)} attacked; {safe} of them meet all limits."
    if found.state == "cancelled":
        return f"The search was cancelled: {tried} What it found so far can be adopted."
    return tried


def _map(found: SearchPoints) -> Chart:
    """Every point by its worst risk, as a multiple of its limit, and its loss."""
    ordered = sorted(found.points, key=lambda point: point.pressure)
    places = tuple(round(min(point.pressure, _FARTHEST), 3) for point in ordered)
    series = {
        name: tuple(point.loss if _group(point) == name else None for point in ordered)
        for name in dict.fromkeys(map(_group, ordered))
    }
    return Chart(
        "points",
        "Risk and loss of the recipes",
        places,
        series,
        "worst risk as a multiple of its limit",
        found.loss.replace("_", " ") or "loss",
        rules={"limit": 1.0},
    )


def _group(point: SearchPoint) -> str:
    return point.rank or ("meets all limits" if point.is_safe else "breaks a limit")
