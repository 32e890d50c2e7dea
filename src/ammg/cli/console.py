"""What commands print: tables, progress, errors, JSON."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from textwrap import fill, wrap
from time import monotonic
from typing import TYPE_CHECKING, Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Table

from ammg.progress import Report, reporting

if TYPE_CHECKING:
    from ammg.pipeline.evaluation import Evaluation

_WIDE = 110
"""Columns from which on a table has room for sentences."""
_READABLE = 60
_INDENT = "      "
SECONDS_BETWEEN_LINES = 10.0


class _Terminal(Console):
    """A console on which a name or a value from the data cannot act: control characters show as what they are."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The parts of what is printed."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(_visible(segment.text), segment.style)


class _Output(_Terminal):
    """Standard output; if the reader closes it (`| head`), the rest is dropped and the work still counts."""

    def on_broken_pipe(self) -> None:
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, sys.stdout.fileno())


def _visible(text: str) -> str:
    """A text with its control characters, line ends aside, written as \\x1b."""
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Also direction marks, which can make one name look like another."""

out = _Output(highlight=False)
err = _Terminal(stderr=True, highlight=False)


def say_error(message: str) -> None:
    """Print an error to stderr, as text that is never taken for markup."""
    err.print("error:", style="bold red", end=" ")
    err.print(message, markup=False, soft_wrap=True)


def say_note(message: str) -> None:
    """Print a warning to stderr, so that it stays out of JSON."""
    err.print(f"note: {message}", markup=False, soft_wrap=True)


def say_text(text: str) -> None:
    """Print lines to stdout; what is too long goes on in the next line, indented as its own."""
    for line in text.split("\n"):
        indent = " " * (len(line) - len(line.lstrip()))
        shown = fill(line, out.width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        out.print(shown, markup=False, soft_wrap=True)


def say_json(values: Mapping[str, Any]) -> None:
    """Print values as JSON; characters that the terminal lacks are escaped."""
    plain = (sys.stdout.encoding or "ascii").lower().replace("-", "") != "utf8"
    text = json.dumps(values, indent=2, ensure_ascii=plain, default=str)
    try:
        sys.stdout.write(_CONTROL.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        out.on_broken_pipe()


@contextmanager
def progress(title: str = "", quiet: bool = False) -> Iterator[Report]:
    """Show on stderr how far the work inside is; yields the function that shows (done, in all, what is at hand)."""
    with _shown(title, quiet) as report, reporting(report):
        yield report


@contextmanager
def _shown(title: str, quiet: bool) -> Iterator[Report]:
    if quiet:
        yield lambda done, total, name: None
        return
    if not err.is_terminal:
        yield _now_and_then(title)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total, name: bar.update(
            task, completed=done, total=total, description=f"{title} {name}".strip()
        )


def _now_and_then(title: str) -> Report:
    """A line of text every ten seconds, for a log or a pipe."""
    said = monotonic()

    def report(done: float, total: float, name: str) -> None:
        nonlocal said
        if monotonic() - said >= SECONDS_BETWEEN_LINES:
            said = monotonic()
            err.print(f"{title} {name}".strip() + f": {done:.3g} of {total:g}", markup=False, soft_wrap=True)

    return report


def say_evaluation(evaluation: Evaluation, minimised: str | None = None) -> None:
    """Print risk and loss as a table, what a search minimises, and one sentence for each limit that is not met."""
    if out.width >= _WIDE:
        out.print(evaluation_table(evaluation))
    else:
        out.print("\n".join(evaluation_lines(evaluation, out.width)), markup=False, soft_wrap=True)
    if minimised is not None and evaluation[minimised].value is not None:
        out.print(
            f"\nThe search minimises {minimised}: {evaluation.value(minimised):.4g}.", markup=False, soft_wrap=True
        )
    if broken := evaluation.broken:
        out.print()
        for sentence in broken.values():
            out.print(sentence, style="red", markup=False, soft_wrap=True)


def say_slow(measures: Iterable[Any]) -> None:
    """Say before the work begins which of the measures will take long, and why."""
    for measure in measures:
        if measure.slow:
            say_note(f"{measure.name} can take minutes: it {measure.slow}.")


def say_places(written: Mapping[str, str]) -> None:
    """Print where each thing was written."""
    if written:
        out.print()
    for what, where in written.items():
        out.print(f"{what}: {where}", markup=False, soft_wrap=True)


def evaluation_lines(evaluation: Evaluation, width: int) -> Iterator[str]:
    """Risk and loss for a narrow screen: numbers in columns, what they mean below them."""
    records = evaluation.records
    yield f"{records['n']:,.0f} records before, {records['t']:,.0f} after"
    rows = [("", "measure", "before", "after", "limit", "")]
    for family, label, before, after, meaning in evaluation.rows():
        rows.append((family, label, before, after, _limit(evaluation, label), _told(evaluation, label, meaning)))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    if not evaluation.limits:
        rows, widths[4] = [(*row[:4], "", row[5]) for row in rows], 0
    for family, label, *values, told in rows:
        cells = "  ".join(f"{value:>{wide}}" for value, wide in zip(values, widths[2:], strict=True) if wide)
        head = f"{family:<{widths[0]}}  {label:<{widths[1]}}"
        if len(head) + 2 + len(cells) > width:  # a label with many parameters has a line of its own
            yield head.rstrip()
            head = " " * (widths[0] + 2)
        yield f"{head}  {cells}".rstrip()
        yield from wrap(told, width, initial_indent=_INDENT, subsequent_indent=_INDENT)


def hanging(head: str, told: str, width: int) -> str:
    """A name and what it means: beside it on a wide screen, below it on a narrow one."""
    if width - len(head) >= _READABLE:
        return fill(told, width, initial_indent=head, subsequent_indent=" " * len(head), break_long_words=False)
    return f"{head.rstrip()}\n{fill(told, width, initial_indent=_INDENT, subsequent_indent=_INDENT)}"


def evaluation_table(evaluation: Evaluation) -> Table:
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
    if evaluation.limits:
        table.add_column("limit", justify="right")
    table.add_column("meaning", style="dim")
    for family, label, before, after, meaning in evaluation.rows():
        limit = [_limit(evaluation, label)] if evaluation.limits else []
        table.add_row(family, escape(label), before, after, *limit, escape(_told(evaluation, label, meaning)))
    return table


def _told(evaluation: Evaluation, label: str, meaning: str) -> str:
    measured = evaluation[label]
    return f"Not defined: {measured.reason}." if measured.value is None else meaning


def _limit(evaluation: Evaluation, label: str) -> str:
    limit = evaluation.limits.get(label)
    if limit is None:
        return ""
    return f"{100 * limit.at_most:g} %" if limit.measure.percent else f"{limit.at_most:g}"
