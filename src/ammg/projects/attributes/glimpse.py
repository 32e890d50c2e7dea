"""A first look: some records, and the values of attributes with few distinct values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from ammg.analyzer.profile import frames
from ammg.projects.init import open_file
from ammg.report.shown import first_records

MOST_VALUES = 1000
"""Largest number of distinct values for which an attribute is counted value by value."""
_MOST_CELLS = 60_000
"""Values of all attributes together; those with the fewest come first."""


def glimpse(file: str, columns: Sequence[str]) -> tuple[dict[str, Any], dict[str, list[tuple[Any, int]]]]:
    """The first records of a file, and how many records each value of these columns has, most frequent first."""
    data = open_file(file)
    counted: dict[str, pl.DataFrame] = {}
    for frame in frames(data, list(columns)) if columns else ():
        for name in columns:
            counts = frame.select(pl.col(name).alias("value")).group_by("value").len()
            known = counted.get(name)
            both = counts if known is None else pl.concat([known, counts]).group_by("value").agg(pl.col("len").sum())
            counted[name] = both
    found: dict[str, list[tuple[Any, int]]] = {}
    room = _MOST_CELLS
    for name, counts in sorted(counted.items(), key=lambda item: item[1].height):
        if counts.height > room:
            break
        room -= counts.height
        ordered = counts.drop_nulls("value").sort("len", "value", descending=[True, False])
        found[name] = [(_plain(value), count) for value, count in ordered.iter_rows()]
    return first_records(data), found


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | str) else str(value)
