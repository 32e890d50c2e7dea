"""What a step changed: how many cells of each column, and numbers by how much."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ammg.data.encoding import ID
from ammg.kernels.columns import PIECE, pieces
from ammg.kernels.threads import in_threads

Changes = Mapping[str, "Change"]


@dataclass(frozen=True)
class Change:
    """What happened to a column; those of several chunks add up."""

    cells: int
    """Cells that changed."""
    numbers: int | None = None
    """Numbers that were there before and after; None for what is no number."""
    total: float = 0.0
    """Sum of their absolute changes."""
    largest: float = 0.0

    def __add__(self, later: Change) -> Change:
        numbers = None if self.numbers is None or later.numbers is None else self.numbers + later.numbers
        largest = max(self.largest, later.largest)
        return Change(self.cells + later.cells, numbers, self.total + later.total, largest)

    @property
    def facts(self) -> dict[str, float]:
        """As the record of a step has them."""
        if self.numbers is None:
            return {"cells": self.cells}
        mean = self.total / self.numbers if self.numbers else 0.0
        return {"cells": self.cells, "mean_change": mean, "largest_change": self.largest}


def changes(before: pl.DataFrame, after: pl.DataFrame, names: Sequence[str]) -> Changes:
    """What happened to some columns between two frames with record ids; those that only one of them has are left out.

    A record that was added has no values before; one that was dropped counts nowhere.
    """
    old, new = before.schema, after.schema
    names = [name for name in names if name in old and name in new]
    if not names:
        return {}
    if not before[ID].equals(after[ID]):
        before = after.select(ID).join(before.select(ID, *names), on=ID, how="left", maintain_order="left")
    quick = _quick_changes(before, after, [name for name in names if old[name] == new[name] == pl.Float64])
    rest = [name for name in names if name not in quick]
    both = [*(before[name].alias(_was(name)) for name in rest), *(after[name] for name in rest)]
    facts = [fact for name in rest for fact in _facts(name, old[name], new[name])]
    row = pl.DataFrame(both).select(facts).row(0, named=True) if rest else {}
    return {name: quick[name] if name in quick else _change(row, name) for name in names}


def merged(earlier: Changes, later: Changes) -> Changes:
    """Those of two chunks."""
    return {name: earlier[name] + later[name] if name in earlier else later[name] for name in later} or earlier


def _quick_changes(before: pl.DataFrame, after: pl.DataFrame, names: Sequence[str]) -> Changes:
    """Those of columns of finite floats without gaps, piece by piece, with threads over columns."""
    complete = [name for name in names if not before[name].null_count() and not after[name].null_count()]

    def find(name: str) -> Change | None:
        x, z = before[name].to_numpy(), after[name].to_numpy()
        room, change = np.empty(min(PIECE, len(x))), Change(0, len(x))
        for piece in pieces(len(x)):
            moved = room[: len(x) - piece.start]
            with np.errstate(invalid="ignore", over="ignore"):
                np.abs(np.subtract(z[piece], x[piece], out=moved), out=moved)
            largest = float(moved.max())
            if not math.isfinite(largest):
                return None
            change += Change(int(np.count_nonzero(moved)), 0, float(moved.sum()), largest)
        return change

    found = in_threads(find, complete, len(after) * len(complete))
    return {name: change for name, change in zip(complete, found, strict=True) if change is not None}


def _facts(name: str, old: pl.DataType, new: pl.DataType) -> list[pl.Expr]:
    """What is to be known of one column, all columns in one pass."""
    before, after = pl.col(_was(name)), pl.col(name)
    if not (old.is_numeric() and new.is_numeric()):
        if old != new:
            before, after = _text(before, old), _text(after, new)
        return [before.ne_missing(after).sum().alias(_fact(name, "cells"))]
    x, z = (values.cast(pl.Float64) for values in (before, after))
    moved = (z - x).abs()
    facts = {
        "cells": (moved > 0).sum() + (x.is_null() != z.is_null()).sum(),
        "numbers": moved.count(),
        "total": moved.sum(),
        "largest": moved.max(),
    }
    return [value.alias(_fact(name, fact)) for fact, value in facts.items()]


def _change(row: Mapping[str, float | None], name: str) -> Change:
    cells = int(row[_fact(name, "cells")] or 0)
    if (numbers := row.get(_fact(name, "numbers"))) is None:
        return Change(cells)
    total, largest = (float(row[_fact(name, fact)] or 0.0) for fact in ("total", "largest"))
    return Change(cells, int(numbers), total, largest)


def _text(values: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    return (values.to_physical() if dtype == pl.Duration else values).cast(pl.String)


def _was(name: str) -> str:
    return f"was\0{name}"


def _fact(name: str, fact: str) -> str:
    return f"{fact}\0{name}"
