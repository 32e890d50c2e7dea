"""Limits as lights: met or broken, in colour, with an icon and in words."""

from __future__ import annotations

from nicegui import ui

from ammg.pipeline.evaluation import Evaluation
from ammg.report.words import named, told


def light(is_met: bool | None, words: str = "") -> ui.element:
    """One light; None where there is no limit."""
    icon, colour, said = {
        True: ("check_circle", "ammg-good", "met"),
        False: ("cancel", "ammg-bad", "broken"),
        None: ("remove", "ammg-quiet", "no limit"),
    }[is_met]
    with ui.row().classes(f"items-center no-wrap gap-1 {colour}") as shown:
        ui.icon(icon).props('aria-hidden="true"')
        ui.label(f"{words}: {said}" if words else said)
    return shown


def limit_lights(evaluation: Evaluation) -> None:
    """All limits of an evaluation."""
    if not evaluation.limits:
        ui.label("No limits are set, so nothing is judged. Set limits in the wizard or in the project file.")
        return
    with ui.row().classes("w-full gap-x-6 gap-y-1").props('role="list" aria-label="Limits"'):
        for label, limit in evaluation.limits.items():
            measure = evaluation.measures[label]
            value, most = told(measure, evaluation.after[label].value), told(measure, limit.at_most)
            light(label not in evaluation.broken, f"{named(label)} {value}, at most {most}").props('role="listitem"')


def findings(title: str, sentences: tuple[str, ...]) -> None:
    """Reasons against a file, in red."""
    if not sentences:
        return
    with ui.column().classes("w-full gap-0 ammg-bad").props('role="group"'):
        with ui.row().classes("items-center gap-1"):
            ui.icon("error").props('aria-hidden="true"')
            ui.label(title).classes("font-medium")
        for sentence in sentences:
            ui.label(f"• {sentence}").classes("q-pl-md")
