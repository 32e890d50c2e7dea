"""`ammg init`: a commented project file to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import hanging, out, progress
from ammg.projects.init import init_project


def init(
    file: Annotated[str, typer.Argument(help="A data file, or a database URL with its table.")],
    project: Annotated[
        Path | None, typer.Argument(help="The project file to write; by default beside the data file.")
    ] = None,
) -> None:
    """Write a project file with proposed roles, each with its reason; an existing file is never overwritten."""
    with progress():
        outcome = init_project(file, project)
    count = len(outcome.analysis.attributes)
    out.print(f"{outcome.path}: roles of {count} attributes are proposed. Read and change them.", markup=False)
    for warning in outcome.analysis.warnings:
        out.print(hanging("- ", str(warning), out.width), markup=False, soft_wrap=True)
