"""`ammg reproduce`: the tables of a paper beside ours."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from ammg.cli.console import out, progress, say_json
from ammg.progress import reporting
from ammg.reproduce import find, papers
from ammg.reproduce.comparison import Comparison


def _beginning(incomplete: str) -> list[str]:
    """What the shell offers for the beginning of a name."""
    return [paper for paper in papers() if paper.startswith(incomplete)]


def reproduce(
    paper: Annotated[
        str,
        typer.Argument(help=f"Name of the paper's first author: {', '.join(papers())}.", autocompletion=_beginning),
    ],
    data: Annotated[Path, typer.Option(help="Folder of the data that the paper uses.")] = Path(),
    secrets: Annotated[int, typer.Option(min=1, help="Number of secrets over which random results are averaged.")] = 10,
    quick: Annotated[bool, typer.Option(help="Try fewer parameters.")] = False,
    figures: Annotated[Path | None, typer.Option(help="Folder for the paper's figures, drawn as SVG.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Reproduce the tables of a paper and show them beside the published ones."""
    with progress("computing", json) as report, reporting(report):
        comparisons = find(paper)(data, secrets, quick=quick, figures=figures)
    if json:
        say_json({comparison.title: _values(comparison) for comparison in comparisons})
        return
    for comparison in comparisons:
        out.print(_table(comparison))
        if comparison.doubtful:
            out.print("* published value known to be wrong")
        for note in comparison.notes:
            out.print(f"- {note}", markup=False)
        out.print()


def _values(comparison: Comparison) -> dict[str, dict[str, dict[str, float | None]]]:
    values: dict[str, dict[str, dict[str, float | None]]] = {}
    for row, column, printed, ours in comparison.cells():
        values.setdefault(row, {})[column] = {"printed": printed, "ours": None if isnan(ours) else ours}
    return values


def _table(comparison: Comparison) -> Table:
    table = Table(title=comparison.title, title_justify="left", box=None, pad_edge=False)
    table.add_column("", no_wrap=True)
    for column in comparison.columns:
        table.add_column(column, justify="right", no_wrap=True)
    for row, ours in comparison.ours.items():
        if printed := comparison.printed.get(row):
            cells = [
                f"{printed[column]:.{comparison.decimals}f}{'*' if (row, column) in comparison.doubtful else ''}"
                for column in comparison.columns
            ]
            table.add_row(row, *cells)
        label = "  ours" if printed else row
        table.add_row(label, *(_word(ours[column], comparison.decimals) for column in comparison.columns))
    return table


def _word(value: float, decimals: int) -> str:
    return "–" if isnan(value) else f"{value:.{decimals}f}"
