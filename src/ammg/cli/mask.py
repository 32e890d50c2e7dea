"""`ammg mask`: run a project and write its release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import evaluation_table, out, progress, say_json
from ammg.cli.release import write_release
from ammg.errors import InputError
from ammg.pipeline.evaluation import evaluate
from ammg.pipeline.project import Project
from ammg.pipeline.provenance import read_secret


def mask(
    project: Annotated[Path, typer.Argument(help="The project file (YAML).")],
    target: Annotated[str | None, typer.Option(help="Write here instead of the project's target.")] = None,
    secret: Annotated[Path | None, typer.Option(help="File with the secret that makes the same release again.")] = None,
    force: Annotated[str | None, typer.Option(help="Release in spite of the gate, for this written reason.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Mask the project's data, write the release and show its risk and loss."""
    plan, data = Project.open(project)
    where = target or (plan.path(plan.target) if plan.target else None)
    if where is None:
        raise InputError(f"{project} has no target: add one, or use --target.")
    with progress("masking", json) as report:
        masked = plan.pipeline().run(data, read_secret(secret) if secret else None, progress=report)
    with progress("measuring", json) as report:
        evaluation = evaluate(masked, plan.measures, plan.scenario, progress=report)
    written = write_release(masked, plan, evaluation, where, force)
    if json:
        say_json({"written": written, **evaluation.to_dict()})
        return
    out.print(evaluation_table(evaluation))
    for step in masked.steps:
        for note in step.notes:
            out.print(f"{step.method}: {note}", markup=False)
    out.print()
    for what, path in written.items():
        out.print(f"{what}: {path}", markup=False, soft_wrap=True)
