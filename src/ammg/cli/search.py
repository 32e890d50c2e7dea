"""`ammg search`: find a recipe under the project's thresholds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import out, say_json, say_note
from ammg.cli.found import find_recipe, write_found
from ammg.errors import InputError
from ammg.io.target import check_folder
from ammg.pipeline.project import Project
from ammg.pipeline.provenance import read_secret


def search(
    project: Annotated[Path, typer.Argument(help="The project file (YAML), with thresholds.")],
    trials: Annotated[int | None, typer.Option(help="Number of recipes to try.", min=1)] = None,
    output: Annotated[Path | None, typer.Option(help="Write the project with the chosen methods here.")] = None,
    storage: Annotated[Path | None, typer.Option(help="Keep the search in this file; it can be resumed.")] = None,
    secret: Annotated[Path | None, typer.Option(help="File with the secret that makes the same search again.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Search for the recipe with the least loss under the thresholds. Exit code 1: none keeps them."""
    plan, data = Project.open(project)
    if not plan.thresholds:
        raise InputError(f"{project} has no thresholds: add e.g. thresholds: {{{_a_risk()}: 0.05}}")
    if output is not None and output.suffix not in (".yaml", ".yml"):
        raise InputError(f"'{output}' is to be a project file: give it the ending .yaml.")
    stem = (output or project).with_suffix("")
    path = output or stem.with_name(f"{stem.name}.found.yaml")
    check_folder(path)
    key = read_secret(secret) if secret else None
    try:
        result, found = find_recipe(plan, data, trials=trials, secret=key, storage=storage, quiet=json)
    except KeyboardInterrupt:
        kept = (
            f"the trials are in '{storage}', the same command goes on" if storage else "trials are kept with --storage"
        )
        say_note(f"{kept}.")
        raise
    written = write_found(result, found, path)
    if json:
        say_json({**result.to_dict(), **{what: str(place) for what, place in written.items()}})
    else:
        out.print(str(result), markup=False)
        out.print(f"\nproject file: {path}\nR-U map: {written['picture']}", markup=False, soft_wrap=True)
        out.print(f"secret of the file that was judged: {written['secret']}", markup=False, soft_wrap=True)
    if not result.choice.is_safe:
        raise typer.Exit(1)


def _a_risk() -> str:
    from ammg.registry import units

    return next(name for name, unit in units("measures").items() if unit.family == "risk")
