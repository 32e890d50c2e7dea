"""Pictures and tables for the pages: what a method does to a small file, how a measure answers to masking."""

import contextlib
import io
import math
import warnings
from pathlib import Path
from typing import Any

import polars as pl
from examples import mask_of, measure_example, method_example

from ammg import Scenario, record_risks
from ammg.charts.chart import Chart
from ammg.charts.drawing import Drawing
from ammg.errors import AmmgError

SHOWN = ("person_id", "sex", "age", "marital_status", "wages", "income")
KEYS = ("sex", "age", "marital_status")
SIZES = {"1 (unique)": (1, 1), "2": (2, 2), "3 to 4": (3, 4), "5 to 9": (5, 9), "10 and more": (10, math.inf)}
BEFORE_AFTER = ("before", "after")


def effect(kind: str, name: str, unit: type[Any], folder: Path) -> str:
    """What a unit does, as Markdown: the picture and, for a method, some records before and after."""
    if kind == "measures":
        return picture(name, measure_charts(name, unit), folder)
    names = run_example(method_example(name, unit))
    shown = picture(name, method_charts(unit, names["data"], names["masked"]), folder)
    return shown + records_before_and_after(names["data"], names["masked"])


def picture(name: str, charts: list[Chart], folder: Path) -> str:
    """Draw charts into `folder`; the Markdown that shows them, empty if there is none."""
    if not charts:
        return ""
    (folder / f"{name}.svg").write_text(Drawing(charts, columns=len(charts)).svg, encoding="utf-8")
    return f"![{charts[0].title}]({name}.svg)\n\n"


def run_example(code: str) -> dict[str, Any]:
    """The names that an example defines."""
    names: dict[str, Any] = {}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        exec(compile(code, "example", "exec"), names)
    return names


def method_charts(unit: type[Any], data: Any, masked: Any) -> list[Chart]:
    """Charts of what the example of a method changed."""
    before, after = data.table, masked.table
    touched = [column for column in before.columns if not _same(before, after, column)]
    numbers = [
        c for c in touched if before[c].dtype.is_numeric() and c in after.columns and after[c].dtype.is_numeric()
    ]
    charts = []
    if before.height != after.height or set(numbers) & {"wages", "income"}:
        charts.append(_cloud(before, after))
    if "weight" in touched:
        charts.append(_weights(before, after))
    if set(touched) & set(KEYS) - set(numbers):
        charts.append(_class_sizes(data, masked))
    changed = [c for c in touched if c in KEYS and c in after.columns and after[c].n_unique() <= 12 and c != "age"]
    if changed and not unit.recodes:
        charts.append(_counts(before, after, changed[0]))
    return charts[:2]


def _same(before: pl.DataFrame, after: pl.DataFrame, column: str) -> bool:
    same_type = column in after.columns and before[column].dtype == after[column].dtype
    return bool(same_type and before.height == after.height and before[column].equals(after[column]))


def _cloud(before: pl.DataFrame, after: pl.DataFrame) -> Chart:
    """Wages and incomes of everybody, before and after."""
    nothing_before, nothing_after = (None,) * before.height, (None,) * after.height
    return Chart(
        "points",
        "Wages and income of each record",
        (*before["wages"], *after["wages"]),
        {"before": (*before["income"], *nothing_after), "after": (*nothing_before, *after["income"])},
        "wages",
        "income",
    )


def _weights(before: pl.DataFrame, after: pl.DataFrame) -> Chart:
    ordered = [tuple(sorted(frame["weight"].drop_nulls())) for frame in (before, after)]
    size = min(map(len, ordered))
    series = {name: values[:size] for name, values in zip(BEFORE_AFTER, ordered, strict=True)}
    return Chart(
        "lines", "Weights from the smallest to the largest", tuple(range(1, size + 1)), series, "record", "weight"
    )


def _class_sizes(data: Any, masked: Any) -> Chart:
    """How many records have how many look-alikes; a missing value may stand for any value."""
    series = {}
    for label, file in zip(BEFORE_AFTER, (data, masked), strict=True):
        sizes = record_risks(file, Scenario(known=KEYS))["f"]
        series[label] = tuple(((sizes >= low) & (sizes <= high)).mean() for low, high in SIZES.values())
    return Chart(
        "bars", "Records by the size of their class", tuple(SIZES), series, "records in the class", "", percent=True
    )


def _counts(before: pl.DataFrame, after: pl.DataFrame, column: str) -> Chart:
    """How many records have each category."""
    tables = [
        dict(frame[column].cast(pl.String).fill_null("missing").value_counts().rows()) for frame in (before, after)
    ]
    values = tuple(sorted(set(tables[0]) | set(tables[1])))
    series = {
        label: tuple(float(table.get(value, 0)) for value in values)
        for label, table in zip(BEFORE_AFTER, tables, strict=True)
    }
    return Chart("bars", f"Records by {column.replace('_', ' ')}", values, series, "", "records")


def records_before_and_after(data: Any, masked: Any) -> str:
    """Five records before and after masking as a Markdown table; what changed is in bold."""
    originals = data.table.head(5)
    kept = {int(original): row for row, original in enumerate(masked.pair.link)}
    columns = [*SHOWN, *(c for c in ("weight", "urbanisation", "health") if not _same(data.table, masked.table, c))]
    head = f"| record | {' | '.join(columns)} |\n|{'---|' * (len(columns) + 1)}\n"
    lines = []
    for row in range(originals.height):
        old = [_shown(originals[c][row]) for c in columns]
        if row in kept:
            there = masked.table.columns
            new = [_shown(masked.table[c][kept[row]]) if c in there else "gone" for c in columns]
            cells = [a if a == b else f"{a} → **{b}**" for a, b in zip(old, new, strict=True)]
        else:
            cells = ["**left out**", *([""] * (len(columns) - 1))]
        lines.append(f"| {row + 1} | {' | '.join(cells)} |")
    return head + "\n".join(lines) + "\n\n"


def _shown(value: Any) -> str:
    if isinstance(value, int | float) and abs(value) >= 1000:
        return f"{value:,.0f}"
    return (
        "missing" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value).replace("*", r"\*")
    )


def measure_charts(name: str, unit: type[Any]) -> list[Chart]:
    """The value of a measure for the small file, masked more and more strongly."""
    method, given, strengths = mask_of(name, unit)
    values: list[float | None] = []
    for strength in strengths:
        code = measure_example(name, unit).replace(given.format(strengths[2]).replace("'", '"'), given.format(strength))
        code = code.replace("print(ammg.evaluate(", "found = (ammg.evaluate(")
        try:
            found = run_example(code)["found"]
            values.append(found[next(iter(found))].value)
        except AmmgError:
            values.append(None)
    parameter = given.split("={}")[0].rpartition(" ")[2].split(",")[-1]
    bars = tuple(f"{strength:g}" for strength in strengths)
    title = f"{unit.__name__} of the small file"
    return [
        Chart(
            "bars",
            title,
            bars,
            {name: tuple(values)},
            f"{parameter} of {method}, milder to stronger",
            "",
            percent=unit.percent,
        )
    ]
