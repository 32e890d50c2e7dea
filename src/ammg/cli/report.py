"""`ammg report`: the evidence for a review panel, or for everybody, as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.assess import EngineName
from ammg.cli.console import out, progress, say_json, say_note, say_places, say_slow
from ammg.cli.secrets import given_secret
from ammg.engines.named import engine_named
from ammg.projects.assess import measured_by
from ammg.projects.project import Project
from ammg.projects.report import beside, report_project
from ammg.report.evidence import LEAST, Version


def report(
    project: Annotated[Path, typer.Argument(help="The project file (YAML).")],
    output: Annotated[Path | None, typer.Option(help="Write to this file; by default beside the project file.")] = None,
    internal: Annotated[
        bool, typer.Option("--internal", help="Write the confidential version for the review panel.")
    ] = False,
    k: Annotated[int, typer.Option(help="Smallest number of people in a class of the public version.", min=2)] = LEAST,
    secret: Annotated[Path | None, typer.Option(help="File with the secret of the release to report on.")] = None,
    engine: EngineName = "local",
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Mask the project's data and write a report on risk and information loss. Exit code 1: a limit is not met."""
    plan, data = Project.open(project, with_target=False, with_secret=secret is None)
    key = given_secret(secret, plan)
    if key is None and plan.secret_file is None:
        say_note(
            "no secret was given, so the report is about a newly masked file; give the secret of a release "
            "with --secret."
        )
    say_slow([*measured_by(plan), *(limit.measure for limit in plan.judged_by)])
    version: Version = "internal" if internal else "public"
    with progress("working on", json) as ticks:
        outcome = report_project(
            plan,
            data,
            output=output or beside(project, version),
            version=version,
            k=k,
            secret=key,
            engine=engine_named(engine),
            progress=ticks,
        )
    if json:
        say_json(outcome.to_dict())
    else:
        for note in outcome.notes:
            say_note(note)
        for sentence in outcome.evaluation.broken.values():
            out.print(sentence, style="red", markup=False, soft_wrap=True)
        say_places(outcome.written)
    if not outcome.keeps_limits:
        raise typer.Exit(1)
