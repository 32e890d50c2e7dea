"""`ammg mask`: run a project and write its release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.assess import EngineName
from ammg.cli.console import out, progress, say_evaluation, say_json, say_note, say_places, say_slow
from ammg.cli.secrets import given_secret
from ammg.engines.named import engine_named
from ammg.projects.assess import measured_by
from ammg.projects.mask import mask_project
from ammg.projects.project import Project


def mask(
    project: Annotated[Path, typer.Argument(help="The project file (YAML).")],
    target: Annotated[str | None, typer.Option(help="Write to this file instead of the project's target.")] = None,
    secret: Annotated[Path | None, typer.Option(help="File with the secret, to make the same release again.")] = None,
    force: Annotated[
        str | None,
        typer.Option(help="Release although checks or limits fail, for this reason; the reason is recorded."),
    ] = None,
    replace: Annotated[
        bool,
        typer.Option("--replace", help="Replace an earlier release; its private folder is kept under another name."),
    ] = False,
    engine: EngineName = "local",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Mask the project's data, show risk and loss, and write the release. Exit code 1: a limit is not met."""
    with progress(quiet=json):
        plan, data = Project.open(project, with_target=target is None, with_secret=secret is None)
    key = given_secret(secret, plan)
    say_slow([*measured_by(plan), *(limit.measure for limit in plan.judged_by)])
    with progress("working on", json) as report:
        outcome = mask_project(
            plan,
            data,
            target=target,
            secret=key,
            force=force,
            replace=replace,
            engine=engine_named(engine),
            progress=report,
        )
    if json:
        say_json(outcome.to_dict())
    else:
        say_evaluation(outcome.evaluation, outcome.minimised)
        for note in outcome.notes:
            say_note(note)
        if not outcome.is_written:
            out.print("Nothing was written. Mask more, or release with --force and a reason; the reason is recorded.")
            out.print("You can still write a report with `ammg report`.")
        say_places(outcome.written)
    if not outcome.is_written:
        raise typer.Exit(1)
