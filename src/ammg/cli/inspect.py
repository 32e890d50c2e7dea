"""`ammg inspect`: what is in a file, with a proposed role for each attribute."""

from __future__ import annotations

from typing import Annotated

import typer

from ammg.analyzer.render import as_text
from ammg.cli.console import out, progress, say_json
from ammg.projects.init import analyze_file


def inspect(
    file: Annotated[str, typer.Argument(help="A data file, or a database URL with its table.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the attributes of a file with their distributions and proposed roles, with reasons."""
    with progress(quiet=json):
        analysis = analyze_file(file)
    if json:
        say_json(analysis.to_dict())
    else:
        out.print(as_text(analysis, out.width), markup=False, soft_wrap=True)
