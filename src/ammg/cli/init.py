"""`ammg init`: a commented project file to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import hanging, out, progress, say_text
from ammg.projects.init import init_project


def init(
    file: Annotated[str, typer.Argument(help="A data file, or a database URL with its table.")],
    project: Annotated[
        Path | None, typer.Argument(help="The project file to write; by default beside the data file.")
    ] = None,
) -> None:
    """Write a project file with a proposed role for each column, with reasons; nothing is ever overwritten."""
    with progress():
        outcome = init_project(file, project)
    count = len(outcome.analysis.attributes)
    say_text(f"{outcome.path}: a role is proposed for each of {count} columns. Check and correct them.")
    say_text("Then let a search find the methods, or add methods and a target yourself and mask:")
    for command in (f"ammg search {outcome.path} --mode public", f"ammg mask {outcome.path}"):
        out.print(f"  {command}", markup=False, soft_wrap=True)
    for warning in outcome.analysis.warnings:
        out.print(hanging("- ", str(warning), out.width), markup=False, soft_wrap=True)
