"""`ammg inspect`: what is in a file, with a proposed role for each attribute."""

from __future__ import annotations

from typing import Annotated

import typer

from ammg import registry
from ammg.analyze.analysis import Analysis
from ammg.analyze.analyze import analyze
from ammg.cli.console import out, say_json
from ammg.io.read import read


def inspect(
    file: Annotated[str, typer.Argument(help="A data file, or a database URL with its table.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON for machines.")] = False,
) -> None:
    """Show a file's attributes with small distributions, proposed roles and the reasons for them."""
    analysis = analyzed(file)
    if json:
        say_json(analysis.to_dict())
    else:
        out.print(str(analysis), markup=False, soft_wrap=True)


def analyzed(file: str) -> Analysis:
    """The analysis of a file, which stays on disk where its format allows it."""
    streams = "stream" in type(registry.format_for(file)).model_fields
    return analyze(read(file, stream=True) if streams else read(file))
