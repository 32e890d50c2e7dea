"""`ammg demo`: the whole way on embedded data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import evaluation_table, out, say_broken
from ammg.cli.found import find_recipe
from ammg.cli.release import write_release
from ammg.datasets import demo_project, survey
from ammg.errors import InputError
from ammg.io.atomic import atomic
from ammg.pipeline.evaluation import evaluate
from ammg.pipeline.project import Project
from ammg.pipeline.thresholds import broken, with_limited


def demo(
    folder: Annotated[Path, typer.Argument(help="A folder for the results; it is made if need be.")] = Path("demo"),
    records: Annotated[int, typer.Option(help="Size of the survey.", min=500)] = 3_000,
    trials: Annotated[int, typer.Option(help="Number of recipes to try.", min=1)] = 100,
) -> None:
    """Make a survey, search for a safe masked file, and write file, project, risk and loss, and R-U map.

    Exit code 1: no recipe that was tried keeps the thresholds.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"'{folder}' is a file: name a folder.")
    folder.mkdir(parents=True, exist_ok=True)
    out.print(f"A household survey of {records:,} made-up people goes to {folder / 'survey.parquet'}.", markup=False)
    survey(records, seed=1).write_parquet(folder / "survey.parquet")
    with atomic(folder / "project.yaml") as path:
        path.write_text(demo_project(), encoding="utf-8")
    project, data = Project.open(folder / "project.yaml")
    limits = ", ".join(f"{name} at most {limit:g}" for name, limit in project.thresholds.items())
    out.print(f"\nSearching {trials} recipes for the least loss with {limits} …", markup=False)
    result, found = find_recipe(project, data, trials=trials, secret=1)
    out.print(f"\n{result}\n", markup=False)
    result.plot(folder / "ru-map.svg")
    evaluation = evaluate(result.chosen, with_limited(None, project.thresholds), project.scenario)
    out.print(evaluation_table(evaluation, project.thresholds))
    if missed := broken(evaluation, project.thresholds):
        say_broken(missed)
        raise typer.Exit(1)
    written = write_release(result.chosen, found, evaluation, str(folder / "masked.parquet"))
    out.print()
    for what, where in {**written, "R-U map": folder / "ru-map.svg"}.items():
        out.print(f"{what}: {where}", markup=False, soft_wrap=True)
