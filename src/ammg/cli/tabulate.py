"""`ammg tabulate`: the tables of a project, masked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer
from rich.markup import escape
from rich.table import Table as Shown

from ammg.cli.console import out, progress, say_json, say_note
from ammg.cli.secrets import given_secret
from ammg.projects.project import Project
from ammg.projects.table_request import TableRequest
from ammg.projects.tabulate import TableOutcome, tabulate_project

_MOST = 60
"""Rows of a table that are shown."""
_MEANING = {"tables": "tabulated, then protected", "microdata": "masked, then tabulated"}


def tabulate(
    project: Annotated[Path, typer.Argument(help="The project file (YAML).")],
    rows: Annotated[list[str] | None, typer.Option(help="Attribute of the rows; repeatable.")] = None,
    columns: Annotated[list[str] | None, typer.Option(help="Attribute of the columns; repeatable.")] = None,
    value: Annotated[str | None, typer.Option(help="Column to add up; by default records are counted.")] = None,
    protect: Annotated[str | None, typer.Option(help="How the table is protected.")] = None,
    target: Annotated[str | None, typer.Option(help="Write the table to this file: .csv, .tsv or .xlsx.")] = None,
    secret: Annotated[Path | None, typer.Option(help="File with the secret, to make the same tables again.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make the project's tables from masked and from protected data and compare them. Exit code 1: one is not safe."""
    plan, data = Project.open(project, with_target=False, with_secret=secret is None)
    requests = _requests(plan, rows, columns, value, protect, target)
    key = given_secret(secret, plan)
    with progress("tabulating", json) as report:
        outcomes = tabulate_project(plan, data, requests=requests, secret=key, progress=report)
    if json:
        say_json({"tables": [outcome.to_dict() for outcome in outcomes]})
    else:
        for outcome in outcomes:
            _say(outcome)
    if not all(outcome.is_safe for outcome in outcomes):
        raise typer.Exit(1)


def _requests(
    plan: Project,
    rows: list[str] | None,
    columns: list[str] | None,
    value: str | None,
    protect: str | None,
    target: str | None,
) -> tuple[TableRequest, ...]:
    """The table that the options ask for, else those of the project, the first of them with another target."""
    if rows or columns:
        where = None if target is None else str(Path(target).absolute())
        return (TableRequest(rows=rows or (), columns=columns or (), value=value, protect=protect, target=where),)
    changes: dict[str, Any] = {} if target is None else {"target": str(Path(target).absolute())}
    return tuple(
        request.model_copy(update=changes) if number == 0 else request for number, request in enumerate(plan.tables)
    )


def _say(outcome: TableOutcome) -> None:
    for route, table in outcome.shown.items():
        out.print(f"{table!r}, {_MEANING[route]}", markup=False)
        out.print(_shown(table.to_polars()))
        facts = outcome.losses[route].facts
        out.print(
            f"Loss: {facts['mean_absolute_difference']:.3g} per cell, "
            f"{100 * facts['mean_relative_difference']:.3g} %, largest {facts['largest_difference']:.4g}; "
            f"{facts['suppressed']:g} of {facts['cells']:g} cells suppressed, {facts['false_zeros']:g} false zeros.",
            markup=False,
        )
        out.print()
    if (bounds := outcome.bounds) is not None:
        out.print(
            f"{bounds.sensitive} cells are sensitive; an intruder can bound {bounds.bounded} of them to "
            f"within {bounds.p:g} %, and {bounds.exact} exactly.",
            markup=False,
        )
    if outcome.written:
        out.print(f"Written: {outcome.written}", markup=False)
    elif not outcome.is_safe:
        say_note("the protected table discloses sensitive cells and is not written: protect it more.")


def _shown(frame: pl.DataFrame) -> Shown:
    table = Shown(box=None, pad_edge=False)
    for name in frame.columns:
        table.add_column(escape(name), justify="right" if frame.schema[name].is_numeric() else "left", no_wrap=True)
    for row in frame.head(_MOST).iter_rows():
        table.add_row(*("–" if cell is None else escape(_word(cell)) for cell in row))
    return table


def _word(cell: Any) -> str:
    return f"{cell:,.6g}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell)
