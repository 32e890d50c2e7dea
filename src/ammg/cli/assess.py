"""`ammg assess`: risk and loss without writing anything."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import evaluation_table, out, progress, say_json
from ammg.pipeline.evaluation import evaluate, resolve
from ammg.pipeline.project import Project


def assess(
    project: Annotated[Path, typer.Argument(help="The project file (YAML).")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Show the risk and loss of the project's masked file; nothing is written. Exit code 1: a threshold is not met."""
    plan, data = Project.open(project)
    with progress("masking", json) as report:
        masked = plan.pipeline().run(data, progress=report)
    measures = resolve(plan.measures)
    named = {measure.name for measure in measures}
    measures += resolve([name for name in plan.thresholds if name not in named])
    with progress("measuring", json) as report:
        evaluation = evaluate(masked, measures, plan.scenario, progress=report)
    missed = {name: limit for name, limit in plan.thresholds.items() if not evaluation.value(name) <= limit}
    if json:
        say_json({**evaluation.to_dict(), "thresholds": dict(plan.thresholds), "missed": missed})
    else:
        out.print(evaluation_table(evaluation))
        for name, limit in missed.items():
            out.print(f"\n{name} is {evaluation.value(name):.4g}, the threshold is {limit:g}.", style="red")
    if missed:
        raise typer.Exit(1)
