"""Rule: neither the order of the records nor their numbers lead back to the original file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from ammg.data.attribute import Role
from ammg.pipeline.gate_rules.evidence import Evidence
from ammg.pipeline.gate_rules.rule import Finding, Rule

_LEAST = 8  # eight records stay in order by chance once in 40,320 times
_SPREAD = 10  # numbers of records leave out nine in ten at most; amounts leave out more


def _check(evidence: Evidence) -> Iterator[Finding]:
    if evidence.release is not None and _in_order(evidence.masked, evidence.release.table):
        yield Finding("the records are in the order of the original file: release them in random order")
    for name in evidence.released:
        if name in evidence.pseudonymous or evidence.after[name].role is Role.HOUSEHOLD:
            continue
        if _numbers_records(evidence.masked[name]):
            yield Finding(
                f"'{name}' numbers the records in the order of the original file: "
                "give it the role identifier, or drop it"
            )


def _in_order(masked: pl.DataFrame, released: pl.DataFrame) -> bool:
    """Whether released record i is masked record i far more often than by chance."""
    names = [name for name in released.columns if name in masked.columns]
    if len(masked) != len(released) or len(masked) < _LEAST or not names:
        return False
    before, after = masked.select(pl.col(names).cast(pl.String)), released.select(pl.col(names).cast(pl.String))
    renumbered = [name for name in names if _renumbered(before[name], after[name])]
    before, after = before.drop(renumbered), after.drop(renumbered)
    if not before.width:
        return False
    left, right = before.hash_rows(seed=0), after.hash_rows(seed=0)
    counts = left.value_counts()["count"].cast(pl.Float64).to_numpy()
    by_chance = float(np.square(counts).sum()) / len(left)
    same = int((left == right).sum())
    return same > 0.5 * (len(left) + by_chance) and same > by_chance + 5 * np.sqrt(by_chance)


def _renumbered(before: pl.Series, after: pl.Series) -> bool:
    """Whether a column got other values on leaving, as household numbers do."""
    return not before.unique().sort().equals(after.unique().sort())


def _numbers_records(column: pl.Series) -> bool:
    if not column.dtype.is_integer() or column.null_count() or len(column) < _LEAST:
        return False
    values = column.cast(pl.Int64).to_numpy()
    steps = np.diff(values)
    if not ((steps > 0).all() or (steps < 0).all()):
        return False
    return bool(np.abs(values[-1] - values[0]) <= _SPREAD * len(values))


ORDER = Rule("order", "Records leave in random order and without numbers that restore the old one.", _check)
