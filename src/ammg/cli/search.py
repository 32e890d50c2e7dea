"""`ammg search`: find a recipe under the project's limits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import out, progress, say_json, say_note
from ammg.projects.project import Project
from ammg.projects.search import beside, search_project
from ammg.release.provenance import read_secret


def search(
    project: Annotated[Path, typer.Argument(help="The project file (YAML), with limits.")],
    trials: Annotated[int | None, typer.Option(help="Number of recipes to try.", min=1)] = None,
    output: Annotated[Path | None, typer.Option(help="Write the project with the chosen methods here.")] = None,
    storage: Annotated[Path | None, typer.Option(help="Keep the search in this file; it can be resumed.")] = None,
    secret: Annotated[Path | None, typer.Option(help="File with the secret that makes the same search again.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Search for the recipe with the least loss under the limits. Exit code 1: none keeps them."""
    with progress(quiet=json):
        plan, data = Project.open(project, with_secret=secret is None)
    where = output or beside(project)
    key = read_secret(secret) if secret else None
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
        out.print(f"\nproject file: {where}\nR-U map: {outcome.written['picture']}", markup=False, soft_wrap=True)
        secret_file = outcome.written["secret"]
        out.print(f"secret of the file that was judged: {secret_file}", markup=False, soft_wrap=True)
    if not outcome.keeps_limits:
        raise typer.Exit(1)
