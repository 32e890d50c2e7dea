"""How risky the records are as they are: the measures, the rarest combinations, and for the owner the records."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from ammg.store.evaluations import of_unmasked
from ammg.store.values import Evaluation, Job
from ammg.store.work import list_jobs, start_evaluate
from ammg.web.pages.attributes.desk import Desk
from ammg.web.parts.job_progress import JobProgress
from ammg.web.parts.states import section

_SHOWN = 25


async def risk(desk: Desk) -> None:
    """The newest evaluation of the unmasked records, and a job that makes one."""
    visit = desk.visit
    found = await visit.ask(of_unmasked, visit.project_id)
    jobs = await visit.ask(list_jobs, visit.project_id)
    running = next((job for job in jobs if job.kind == "evaluate" and not job.is_over), None)
    place = ui.column().classes("w-full gap-0")

    async def measure() -> None:
        job = await visit.ask(start_evaluate, visit.project_id, desk.number, unmasked=True)
        show(None, job)

    async def ended(_: Job) -> None:
        show(await visit.ask(of_unmasked, visit.project_id), None)

    def show(found: Evaluation | None, job: Job | None) -> None:
        place.clear()
        with place:
            with section(
                "Risk of the unmasked file", "What an intruder could find out if these records were released unmasked."
            ):
                if job is not None:
                    JobProgress(visit, job, "Measuring", on_end=ended)
                else:
                    _head(desk, found, measure)
            if found is not None:
                _measures(found)
                _people(desk, found)

    show(found, running)


def _head(desk: Desk, found: Evaluation | None, measure: Any) -> None:
    words = "Measure" if found is None else "Measure again"
    if found is None:
        ui.label("It has not been measured yet.").classes("ammg-quiet")
    elif (found.values or {}).get("read_as") != desk.number:
        ui.label("Roles or the intruder may have changed since it was measured.").classes("ammg-odd")
    ui.button(words, icon="speed", on_click=measure).props("unelevated no-caps")


def _measures(found: Evaluation) -> None:
    values = found.values or {}
    rows = [
        (label, one)
        for label, one in values.get("measures", {}).items()
        if one["family"] == "risk" and one["value"] is not None
    ]
    if not rows:
        return
    with section("Measures"):
        for label, one in rows:
            share = min(max(float(one["value"]), 0.0), 1.0)
            with ui.row().classes("w-full items-center no-wrap ammg-line"):
                ui.label(label.replace("_", " ")).classes("w-72")
                bar = ui.linear_progress(share, show_value=False).classes("grow")
                bar.props["aria-label"] = label
                ui.label(f"{share:.1%}").classes("ammg-number w-16")


def _people(desk: Desk, found: Evaluation) -> None:
    if desk.needs_rights():
        return
    for one in (found.values or {}).get("people", ()):
        title = str(one["what"]).replace("_", " ").capitalize()
        with section(f"{title} · {one['measure'].replace('_', ' ')}" if one["measure"] else title):
            for sentence in one["sentences"][:_SHOWN]:
                ui.label(sentence).classes("ammg-line w-full")
