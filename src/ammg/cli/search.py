"""`ammg search`: find a recipe that meets the project's limits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import out, progress, say_json, say_note, say_text
from ammg.cli.secrets import given_secret
from ammg.projects.project import Project
from ammg.projects.search import beside, left_open, search_project, with_goal

_NAMES = {"project": "project file", "picture": "R-U map", "secret": "secret of the evaluated file"}


def search(
    project: Annotated[Path, typer.Argument(help="The project file (YAML), with limits.")],
    mode: Annotated[
        str | None, typer.Option(help="Access mode whose limits apply: public, contract or laboratory.")
    ] = None,
    minimise: Annotated[str | None, typer.Option(help="The loss or score to minimise.")] = None,
    untouched: Annotated[list[str] | None, typer.Option(help="A column that no step may mask; repeatable.")] = None,
    trials: Annotated[
        int | None, typer.Option(help="Number of recipes (combinations of methods) to try.", min=1)
    ] = None,
    output: Annotated[Path | None, typer.Option(help="Write the project with the chosen methods to this file.")] = None,
    storage: Annotated[
        Path | None, typer.Option(help="Keep the search in this file, so that it can be resumed.")
    ] = None,
    secret: Annotated[Path | None, typer.Option(help="File with the secret, to repeat the same search.")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite the result of an earlier search.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Search for the methods with the least information loss that meet all limits. Exit code 1: none do."""
    with progress(quiet=json):
        plan, data = Project.open(project, with_secret=secret is None)
    plan = with_goal(plan, data, mode=mode, minimise=minimise, untouched=untouched)
    for note in left_open(plan, data):
        say_note(note)
    where = output or beside(project)
    key = given_secret(secret, plan)
    try:
        with progress("searching", json) as report:
            outcome = search_project(
                plan, data, output=where, trials=trials, secret=key, storage=storage, replace=replace, progress=report
            )
    except KeyboardInterrupt:
        kept = (
            f"the trials are in '{storage}'; run the same command to continue"
            if storage
            else "use --storage to keep trials"
        )
        say_note(f"{kept}.")
        raise
    if json:
        say_json(outcome.to_dict())
    else:
        say_text(str(outcome.result))
        out.print()
        for what, place in outcome.written.items():
            out.print(f"{_NAMES.get(what, what)}: {place}", markup=False, soft_wrap=True)
    if not outcome.keeps_limits:
        raise typer.Exit(1)
