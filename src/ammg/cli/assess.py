"""`ammg assess`: risk and loss without writing anything."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import progress, say_evaluation, say_json, say_note, say_slow
from ammg.cli.secrets import given_secret
from ammg.engines.named import NAMES, engine_named
from ammg.projects.assess import assess_project, measured_by
from ammg.projects.project import Project

EngineName = Annotated[str, typer.Option(help=f"Engine that masks the records: {' or '.join(NAMES)}.")]


def assess(
    project: Annotated[Path, typer.Argument(help="The project file (YAML).")],
    secret: Annotated[Path | None, typer.Option(help="File with the secret of the masked file to assess.")] = None,
    engine: EngineName = "local",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show risk and loss of the project's masked file; nothing is written. Exit code 1: a limit is not met."""
    with progress(quiet=json):
        plan, data = Project.open(project, with_secret=secret is None)
    key = given_secret(secret, plan)
    if key is None and plan.secret_file is None and plan.methods:
        say_note("no secret was given, so this is a newly masked file; give the secret of a release with --secret.")
    say_slow([*measured_by(plan), *(limit.measure for limit in plan.judged_by)])
    with progress("working on", json) as report:
        outcome = assess_project(plan, data, secret=key, engine=engine_named(engine), progress=report)
    if json:
        say_json(outcome.to_dict())
    else:
        say_evaluation(outcome.evaluation, outcome.minimised)
        for note in outcome.notes:
            say_note(note)
    if not outcome.keeps_limits:
        raise typer.Exit(1)
