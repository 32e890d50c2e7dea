"""Risk and loss of a version beside those of the file as it was, always in sight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nicegui import ui

from ammg.pipeline.evaluation import Evaluation
from ammg.registry import meaning
from ammg.report.words import named, told, told_of
from ammg.store import evaluations, work
from ammg.store.actor import Actor
from ammg.store.store import Store
from ammg.store.values import Job
from ammg.web.parts.job_progress import JobProgress
from ammg.web.visit import Visit

_SHOWN = 5
"""Measures of a family that are shown without being limited; the page of the result has all."""


@dataclass(frozen=True)
class Figure:
    """One line of the panel."""

    family: str
    name: str
    meaning: str
    original: str
    current: str
    limit: str
    is_broken: bool | None
    """None without a limit."""


@dataclass(frozen=True)
class Standing:
    """What is known of a version, or of an earlier one if it was not measured."""

    version: int
    records: str
    figures: tuple[Figure, ...]


def standing(store: Store, actor: Actor, project_id: str, version: int) -> Standing | None:
    """The newest evaluation of a version, else of any."""
    found = evaluations.list_evaluations(store, actor, project_id)
    chosen = next((one for one in found if one.version == version), found[0] if found else None)
    if chosen is None:
        return None
    values = evaluations.get_evaluation(store, actor, project_id, chosen.id).values or {}
    evaluation = Evaluation.from_dict(values)
    records = f"{values['records'].get('n', 0):,.0f} records before, {values['records'].get('t', 0):,.0f} after"
    return Standing(chosen.version, records, tuple(_figures(evaluation)))


def _figures(evaluation: Evaluation) -> Iterator[Figure]:
    shown: dict[str, int] = {}
    broken = evaluation.broken
    ordered = sorted(evaluation.measured.items(), key=lambda entry: entry[0] not in evaluation.limits)
    for label, (measure, measurement) in ordered:
        limit = evaluation.limits.get(label)
        shown[measure.family] = shown.get(measure.family, 0) + 1
        if limit is None and shown[measure.family] > _SHOWN:
            continue
        yield Figure(
            measure.family,
            named(label),
            meaning(type(measure)),
            told_of(measure, evaluation.before.get(label)),
            told_of(measure, measurement),
            "" if limit is None else told(measure, limit.at_most),
            None if limit is None else label in broken,
        )


class RiskPanel:
    """The panel; built where it is called."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._version = 0
        with ui.card().classes("ammg-card ammg-panel") as self._card:
            ui.label("Risk and loss").props('role="heading" aria-level="2"').classes("ammg-section")
            self._body = ui.column().classes("w-full gap-2")
            self._job = ui.column().classes("w-full")

    async def show(self, version: int) -> None:
        """Show what is known of a version, and follow a measurement that is under way."""
        self._version = version
        found = await self._visit.ask(standing, self._visit.project_id, version)
        jobs = await self._visit.ask(work.list_jobs, self._visit.project_id)
        self._body.clear()
        with self._body:
            if found is None:
                ui.label("Nothing has been measured yet.").classes("ammg-quiet")
            else:
                self._figures(found)
            running = next((job for job in jobs if job.kind == "evaluate" and not job.is_over), None)
            if self._visit.may_work and running is None:
                words = f"Measure version {version}" if found is None or found.version != version else "Measure again"
                ui.button(words, icon="speed", on_click=self._measure).props("outline no-caps")
        if running is not None and not self._job.default_slot.children:
            self._follow(running)

    def _figures(self, found: Standing) -> None:
        if found.version != self._version:
            ui.label(
                f"Version {self._version} has not been measured yet. These are the figures of version {found.version}."
            ).classes("ammg-odd")
        else:
            ui.label(f"Version {found.version}: {found.records}").classes("ammg-quiet")
        with ui.element("table").classes("ammg-figures").classes("ammg-old" if found.version != self._version else ""):
            for family in dict.fromkeys(figure.family for figure in found.figures):
                self._family(family, [figure for figure in found.figures if figure.family == family])
        ui.link("All figures", f"/projects/{self._visit.project_id}/result")

    def _family(self, family: str, figures: list[Figure]) -> None:
        with ui.element("thead"), ui.element("tr"):
            for words in (family.capitalize(), "original", "now", "limit"):
                with ui.element("th").props('scope="col"'):
                    ui.label(words)
        with ui.element("tbody"):
            for figure in figures:
                with ui.element("tr"):
                    with ui.element("th").props('scope="row"').tooltip(figure.meaning):
                        ui.label(figure.name)
                    for text in (figure.original, figure.current):
                        with ui.element("td"):
                            ui.label(text)
                    with ui.element("td"):
                        _light(figure)

    async def _measure(self) -> None:
        job = await self._visit.ask(work.start_evaluate, self._visit.project_id, self._version)
        await self.show(self._version)
        if not self._job.default_slot.children:
            self._follow(job)

    def _follow(self, job: Job) -> None:
        async def ended(job: Job) -> None:
            await self.show(self._version)
            if job.state != "failed":
                self._job.clear()  # last: it ends the timer that called this

        self._job.clear()
        with self._job:
            JobProgress(self._visit, job, "Measuring", ended)


def _light(figure: Figure) -> None:
    """The limit, and whether it is kept, by colour, shape and word."""
    if figure.is_broken is None:
        return
    with ui.row().classes("no-wrap items-center gap-1 justify-end"):
        ui.label(f"≤ {figure.limit}")
        icon = ui.icon("cancel" if figure.is_broken else "check_circle")
        icon.classes("ammg-bad" if figure.is_broken else "ammg-good").props('role="img" aria-hidden="false"')
        icon.props["aria-label"] = "limit exceeded" if figure.is_broken else "limit kept"
