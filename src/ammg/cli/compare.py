"""`ammg compare`: several masked files of one original side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ammg.cli.console import out, progress, say_json, say_note
from ammg.projects.compare import compare_project
from ammg.projects.project import Project


def compare(
    project: Annotated[Path, typer.Argument(help="The project file (YAML) of the original.")],
    files: Annotated[list[str], typer.Argument(help="Masked files, or project files that make them.")],
    plot: Annotated[Path | None, typer.Option(help="Draw the R-U map to this file (SVG, PNG or PDF).")] = None,
    references: Annotated[
        bool, typer.Option(help="Also compare with the original itself and with permuted columns.")
    ] = True,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare risk and information loss of several masked files of one original."""
    plan, data = Project.open(project, with_target=False, with_secret=False)
    with progress("working on", json) as report:
        found = compare_project(plan, files, data, references=references, progress=report)
    if plot is not None:
        found.plot(plot)
    if json:
        say_json(found.to_dict())
        return
    head, *rows = found.rows()
    for _, label, *values in rows:
        out.print(label, markup=False, soft_wrap=True)
        width = max(map(len, head[2:]))
        for name, value in zip(head[2:], values, strict=True):
            out.print(f"    {name:<{width}}  {value}", markup=False, soft_wrap=True)
    for note in found.notes():
        say_note(note)
    if plot is not None:
        out.print(f"\nR-U map: {plot}", markup=False, soft_wrap=True)
