"""`ammg assess`: risk and loss without writing anything."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import evaluation_table, limits, out, progress, say_broken, say_json
from ammg.pipeline.evaluation import evaluate
from ammg.pipeline.project import Project
from ammg.pipeline.thresholds import broken, with_limited


def assess(
    project: Annotated[Path, typer.Argument(help="The project file (YAML).")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Show the risk and loss of the project's masked file; nothing is written. Exit code 1: a threshold is not kept."""
    plan, data = Project.open(project)
    with progress("masking", json) as report:
        masked = plan.pipeline().run(data, progress=report)
    with progress("measuring", json) as report:
        measures = with_limited(plan.measures, plan.thresholds)
        evaluation = evaluate(masked, measures, plan.scenario, progress=report)
    missed = broken(evaluation, plan.thresholds)
    if json:
        say_json({**evaluation.to_dict(), **limits(plan.thresholds, missed)})
    else:
        out.print(evaluation_table(evaluation, plan.thresholds))
        if missed:
            say_broken(missed)
    if missed:
        raise typer.Exit(1)
