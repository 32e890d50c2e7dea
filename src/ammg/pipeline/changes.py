"""What a step changed: how many cells of each column, and numbers by how much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl

from ammg.data.encoding import ID
from ammg.engines.engine import EngineSource
from ammg.engines.local import LocalSource
from ammg.methods.method import Plan

Changes = Mapping[str, Mapping[str, float]]


def changes(before: EngineSource, after: EngineSource, plans: Iterable[Plan]) -> Changes | None:
    """For each column that the plans write, and what is linked to it; None where the records are not in memory."""
    if not (isinstance(before, LocalSource) and isinstance(after, LocalSource)):
        return None
    old, new = before.table, after.table
    if not isinstance(old, pl.DataFrame) or not isinstance(new, pl.DataFrame):
        return None
    written = {name for plan in plans for name in plan.schema.names}
    written |= {attribute.name for attribute in after.schema if attribute.linked_to in written}
    names = [name for name in new.columns if name in written and name in old.columns]
    if names and len(old) != len(new):
        old = new.select(ID).join(old.select(ID, *names), on=ID, how="left", maintain_order="left")
    found = {name: _change(old[name], new[name]) for name in names}
    return {name: change for name, change in found.items() if change["cells"]}


def _change(old: pl.Series, new: pl.Series) -> dict[str, float]:
    if old.dtype.is_numeric() and new.dtype.is_numeric():
        x, z = (values.cast(pl.Float64).fill_nan(None) for values in (old, new))
        moved = (z - x).abs()
        cells = int((moved > 0).sum()) + int((x.is_null() != z.is_null()).sum())
        return {"cells": cells, "mean_change": _number(moved.mean()), "largest_change": _number(moved.max())}
    return {"cells": int(old.cast(pl.String).ne_missing(new.cast(pl.String)).sum())}


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
