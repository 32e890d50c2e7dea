"""What commands print: tables, progress, errors, JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from ammg.pipeline.evaluation import Evaluation
from ammg.progress import Report

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


def say_error(message: str) -> None:
    """Print an error to stderr, as text that is never taken for markup."""
    err.print("error:", style="bold red", end=" ")
    err.print(message, markup=False, soft_wrap=True)


def say_note(message: str) -> None:
    """Print what stops nothing to stderr, so that it is in no JSON."""
    err.print(f"note: {message}", markup=False, soft_wrap=True)


def say_json(values: Mapping[str, Any]) -> None:
    """Print values for machines; what a terminal has no character for is escaped."""
    plain = (sys.stdout.encoding or "ascii").lower().replace("-", "") != "utf8"
    sys.stdout.write(json.dumps(values, indent=2, ensure_ascii=plain, default=str) + "\n")


@contextmanager
def progress(title: str, quiet: bool = False) -> Iterator[Report]:
    """Yield a function that shows (done, in all, what is at hand) on stderr."""
    if quiet or not err.is_terminal:
        yield lambda done, total, name: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total, name: bar.update(
            task, completed=done, total=total, description=f"{title} {name}".rstrip()
        )


def evaluation_table(evaluation: Evaluation, thresholds: Mapping[str, float] | None = None) -> Table:
    """Risk and loss as a table, with the limits that are set to them, and the reason why a measure has no value."""
    records = evaluation.records
    table = Table(
        title=f"{records['n']:,.0f} records before, {records['t']:,.0f} after",
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    table.add_column("")
    table.add_column("measure", style="bold", no_wrap=True)
    table.add_column("before", justify="right")
    table.add_column("after", justify="right")
    if thresholds:
        table.add_column("limit", justify="right")
    table.add_column("meaning", style="dim")
    for *values, meaning in evaluation.rows():
        limit = [_limit(evaluation, thresholds, values[1])] if thresholds else []
        measured = evaluation.after[values[1]]
        table.add_row(
            *values, *limit, escape(f"Not defined: {measured.reason}.") if measured.value is None else meaning
        )
    return table


def _limit(evaluation: Evaluation, thresholds: Mapping[str, float], name: str) -> str:
    if name not in thresholds:
        return ""
    return f"{100 * thresholds[name]:g} %" if evaluation.measures[name].percent else f"{thresholds[name]:g}"


def limits(thresholds: Mapping[str, float], sentences: Mapping[str, str]) -> dict[str, Any]:
    """The thresholds, those that are not kept and why, for machines."""
    missed = {name: thresholds[name] for name in sentences}
    return {"thresholds": dict(thresholds), "missed": missed, "reasons": list(sentences.values())}


def say_broken(sentences: Mapping[str, str]) -> None:
    """Print a sentence for each threshold that is not kept."""
    out.print()
    for sentence in sentences.values():
        out.print(sentence, style="red", markup=False, soft_wrap=True)
