"""`ammg mask`: run a project and write its release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import evaluation_table, limits, out, progress, say_broken, say_json
from ammg.cli.release import check_release, write_release
from ammg.errors import InputError
from ammg.pipeline.evaluation import evaluate
from ammg.pipeline.project import Project
from ammg.pipeline.provenance import read_secret
from ammg.pipeline.thresholds import broken, with_limited


def mask(
    project: Annotated[Path, typer.Argument(help="The project file (YAML).")],
    target: Annotated[str | None, typer.Option(help="Write here instead of the project's target.")] = None,
    secret: Annotated[Path | None, typer.Option(help="File with the secret that makes the same release again.")] = None,
    force: Annotated[
        str | None, typer.Option(help="Release in spite of the gate and of thresholds, for this written reason.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Mask the project's data, show risk and loss, and write the release. Exit code 1: a threshold is not kept."""
    plan, data = Project.open(project, with_target=target is None)
    where = target or (plan.path(plan.target) if plan.target else None)
    if where is None:
        raise InputError(f"{project} has no target: add one, or use --target.")
    if force is not None and not force.strip():
        raise InputError("--force is empty: write down why the release may leave.")
    check_release(plan, where)
    key = read_secret(secret) if secret else None
    with progress("masking", json) as report:
        masked = plan.pipeline().run(data, key, progress=report)
    with progress("measuring", json) as report:
        measures = with_limited(plan.measures, plan.thresholds)
        evaluation = evaluate(masked, measures, plan.scenario, progress=report)
    missed = broken(evaluation, plan.thresholds)
    stopped = bool(missed) and force is None
    written = {} if stopped else write_release(masked, plan, evaluation, where, force, missed)
    if json:
        say_json({"written": written, **evaluation.to_dict(), **limits(plan.thresholds, missed)})
    else:
        out.print(evaluation_table(evaluation, plan.thresholds))
        for step in masked.steps:
            for note in step.notes:
                out.print(f"{step.method}: {note}", markup=False)
        if missed:
            say_broken(missed)
        if stopped:
            out.print("Nothing is written: mask more, or release with --force and a reason, which is kept.")
        out.print()
        for what, path in written.items():
            out.print(f"{what}: {path}", markup=False, soft_wrap=True)
    if stopped:
        raise typer.Exit(1)
