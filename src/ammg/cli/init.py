"""`ammg init`: a commented project file to start from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ammg.analyze.render import as_project
from ammg.cli.console import out
from ammg.cli.inspect import analyzed
from ammg.errors import InputError
from ammg.io.atomic import atomic


def init(
    file: Annotated[str, typer.Argument(help="A data file, or a database URL with its table.")],
    project: Annotated[
        Path | None, typer.Argument(help="The project file to write; by default beside the data file.")
    ] = None,
) -> None:
    """Write a project file with proposed roles, each with its reason; an existing file is never overwritten."""
    remote = "://" in file
    target = project or (Path("project.yaml") if remote else Path(file).with_suffix(".yaml"))
    if target.exists():
        raise InputError(f"'{target}' exists and is not overwritten: name another project file.")
    analysis = analyzed(file)
    source = file if remote else os.path.relpath(file, target.resolve().parent)
    with atomic(target) as path:
        path.write_text(as_project(analysis, source), encoding="utf-8")
    out.print(
        f"{target}: roles of {len(analysis.attributes)} attributes are proposed. Read and change them.", markup=False
    )
    for warning in analysis.warnings:
        out.print(f"- {warning}", markup=False, soft_wrap=True)
