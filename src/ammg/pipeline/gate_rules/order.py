"""Rule: neither the order of the records nor their numbers lead back to the original file."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from ammg.data.attribute import Role
from ammg.data.texts import as_text
from ammg.pipeline.gate_rules.evidence import Evidence
from ammg.pipeline.gate_rules.rule import Finding, Rule

_LEAST = 8  # eight records stay in order by chance once in 40,320 times
_COMPARED = 5_000
_SPREAD = 10  # numbers of records leave out nine in ten at most; amounts leave out more


def _check(evidence: Evidence) -> Iterator[Finding]:
    renumbered = {*evidence.pseudonymous, *evidence.after.with_role(Role.HOUSEHOLD)}
    compared = [name for name in evidence.released if evidence.after[name].role is not Role.HOUSEHOLD]
    if evidence.release is not None and _in_order(evidence.masked, evidence.release.table, compared):
        yield Finding("the records are in the order of the original file: release them in random order")
    for name in evidence.released:
        if name not in renumbered and _numbers_records(evidence.masked[name]):
            yield Finding(
                f"'{name}' numbers the records in the order of the original file: "
                "give it the role identifier, or drop it"
            )


def _in_order(masked: pl.DataFrame, released: pl.DataFrame, names: list[str]) -> bool:
    """Whether released record i is masked record i far more often than by chance, among the first records."""
    if len(masked) != len(released) or len(masked) < _LEAST or not names:
        return False
    left, right = (
        pl.DataFrame([as_text(column) for column in frame.head(_COMPARED).select(names)]).hash_rows(seed=0)
        for frame in (masked, released)
    )
    counts = left.value_counts().join(right.value_counts(), on=left.name, how="inner")
    by_chance = float((counts["count"].cast(pl.Float64) * counts["count_right"].cast(pl.Float64)).sum()) / len(left)
    same = int((left == right).sum())
    return same > 0.5 * (len(left) + by_chance) and same > by_chance + 5 * np.sqrt(by_chance)


def _numbers_records(column: pl.Series) -> bool:
    if not column.dtype.is_integer() or column.null_count() or len(column) < _LEAST:
        return False
    values = column.cast(pl.Int64).to_numpy()
    steps = np.diff(values)
    if not ((steps > 0).all() or (steps < 0).all()):
        return False
    return bool(np.abs(values[-1] - values[0]) <= _SPREAD * len(values))


ORDER = Rule("order", "Records leave in random order and without numbers that restore the old one.", _check)
