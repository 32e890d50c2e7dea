"""`ammg search`: find a recipe under the project's limits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import out, progress, say_json, say_note
from ammg.cli.secrets import given_secret
from ammg.projects.project import Project
from ammg.projects.search import beside, left_open, search_project, with_goal

_NAMES = {"project": "project file", "picture": "R-U map", "secret": "secret of the file that was judged"}


def search(
    project: Annotated[Path, typer.Argument(help="The project file (YAML), with limits.")],
    mode: Annotated[
        str | None, typer.Option(help="Access mode whose limits apply: public, contract or laboratory.")
    ] = None,
    minimise: Annotated[str | None, typer.Option(help="The loss or score to make small.")] = None,
    untouched: Annotated[list[str] | None, typer.Option(help="A column that no step may mask; repeatable.")] = None,
    trials: Annotated[int | None, typer.Option(help="Number of recipes to try.", min=1)] = None,
    output: Annotated[Path | None, typer.Option(help="Write the project with the chosen methods here.")] = None,
    storage: Annotated[Path | None, typer.Option(help="Keep the search in this file; it can be resumed.")] = None,
    secret: Annotated[Path | None, typer.Option(help="File with the secret that makes the same search again.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Search for the recipe with the least loss under the limits. Exit code 1: none meets them."""
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
                plan, data, output=where, trials=trials, secret=key, storage=storage, progress=report
            )
    except KeyboardInterrupt:
        kept = (
            f"the trials are in '{storage}', the same command goes on" if storage else "trials are kept with --storage"
        )
        say_note(f"{kept}.")
        raise
    if json:
        say_json(outcome.to_dict())
    else:
        out.print(str(outcome.result), markup=False)
        out.print()
        for what, place in outcome.written.items():
            out.print(f"{_NAMES.get(what, what)}: {place}", markup=False, soft_wrap=True)
    if not outcome.keeps_limits:
        raise typer.Exit(1)
