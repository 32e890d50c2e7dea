"""`ammg demo`: the whole way on embedded data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import out, progress, say_evaluation, say_note, say_places, say_text
from ammg.projects import demo as demonstration


def demo(
    folder: Annotated[Path, typer.Argument(help="A folder for the results; it is created if necessary.")] = Path(
        "demo"
    ),
    records: Annotated[int, typer.Option(help="Size of the survey.", min=500)] = 2_500,
    trials: Annotated[int, typer.Option(help="Number of recipes (combinations of methods) to try.", min=1)] = 120,
) -> None:
    """Run the whole workflow on a made-up survey: search, mask, measure, and write file, project, report and R-U map.

    Exit code 1: no recipe that was tried meets the limits.
    """
    out.print(
        f"Writing a household survey of {records:,} made-up people to '{folder}', then trying {trials} "
        "recipes to find the least loss that meets all limits …\n",
        markup=False,
    )
    with progress("working on") as report:
        outcome = demonstration.demo(folder, records=records, trials=trials, progress=report)
    say_text(f"{outcome.result}\n")
    say_evaluation(outcome.evaluation)
    for note in outcome.notes:
        say_note(note)
    say_places(outcome.written)
    if not outcome.keeps_limits:
        raise typer.Exit(1)
