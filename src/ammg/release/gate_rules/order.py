"""Rule: neither the order of the records nor a record number leads back to the original file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Role
from ammg.data.texts import as_text
from ammg.release.gate_rules.evidence import Evidence, Facts, present
from ammg.release.gate_rules.rule import Finding, Rule

_LEAST = 8  # eight records stay in order by chance once in 40,320 times
_RARE = 1 / 20_000  # what chance brings about more often is let through
_COMPARED = 5_000  # the first ones, and about as many evenly spaced: in a sorted file the first ones may be equal
_SPREAD = 10  # numbers of records leave out nine in ten at most; amounts leave out more

Floats = NDArray[np.float64]


class _Numbers(NamedTuple):
    """What one part of a column of whole numbers shows."""

    first: int
    last: int
    records: int
    rises: bool
    falls: bool


def _look(facts: Facts, original: pl.DataFrame, masked: pl.DataFrame) -> dict[str, _Numbers | None]:
    """None for a column that cannot number the records."""
    return {name: _numbers(masked[name]) for name in present(masked, facts.released) if len(masked)}


def _check(evidence: Evidence) -> Iterator[Finding]:
    renumbered = {*evidence.pseudonymous, *evidence.after.with_role(Role.HOUSEHOLD)}
    compared = [name for name in evidence.released if evidence.after[name].role is not Role.HOUSEHOLD]
    if evidence.release is not None and _in_order(evidence.masked, evidence.release.table, compared):
        yield Finding("the records are in the order of the original file: release them in random order")
    parts = [part for part in evidence.looked(ORDER.name) if part]
    for name in evidence.released:
        if name not in renumbered and _numbers_records([part[name] for part in parts]):
            yield Finding(
                f"'{name}' numbers the records in the order of the original file: "
                "give it the role identifier, or drop it"
            )


def _in_order(masked: pl.DataFrame, released: pl.DataFrame, names: list[str]) -> bool:
    """Whether released record i is masked record i far more often than by chance, among some thousand records."""
    if len(masked) != len(released) or len(masked) < _LEAST or not names:
        return False
    sides, step = (masked.select(names), released.select(names)), -(-len(masked) // _COMPARED)
    return _match(*(side.head(_COMPARED) for side in sides)) or (
        step > 1 and _match(*(side.gather_every(step) for side in sides))
    )


def _match(masked: pl.DataFrame, released: pl.DataFrame) -> bool:
    left, right = (
        pl.DataFrame([as_text(column) for column in frame]).hash_rows(seed=0) for frame in (masked, released)
    )
    counts = left.value_counts().join(right.value_counts(), on=left.name, how="inner")
    before, after = (counts[name].to_numpy().astype(np.float64) for name in ("count", "count_right"))
    same = int((left == right).sum())
    if same == len(left):
        return _chance_of_order(before) < _RARE
    by_chance = float(before @ after) / len(left)
    return same > 0.5 * (len(left) + by_chance) and _chance_of_matches(same, before, after, len(left)) < _RARE


def _chance_of_order(counts: Floats) -> float:
    """The chance that a random order of records leaves all of them in place, from how often each one occurs."""
    from scipy.special import gammaln

    return float(np.exp(gammaln(counts + 1).sum() - gammaln(counts.sum() + 1)))


def _chance_of_matches(same: int, before: Floats, after: Floats, n: int) -> float:
    """The approximate chance that a random order leaves at least `same` of n records in place.

    From how often each kind of record occurs in both files. The number of records in place is nearly Poisson; it is
    taken for a Poisson variate plus a constant that has the exact mean and variance.
    """
    from scipy.special import gammainc

    pairs = before * after
    mean = pairs.sum() / n
    variance = mean + (pairs.sum() ** 2 - pairs @ (before + after - 1)) / (n * (n - 1)) - mean**2
    return float(gammainc(same - mean + variance, variance))


def _numbers(column: pl.Series) -> _Numbers | None:
    if not column.dtype.is_integer() or column.null_count():
        return None
    values = column.cast(pl.Int64, strict=False)
    if values.null_count():  # beyond the range of record numbers
        return None
    steps = np.diff(values.to_numpy())
    return _Numbers(int(values[0]), int(values[-1]), len(values), bool((steps > 0).all()), bool((steps < 0).all()))


def _numbers_records(parts: list[_Numbers | None]) -> bool:
    known = [part for part in parts if part is not None]
    records = sum(part.records for part in known)
    if len(known) < len(parts) or records < _LEAST:
        return False
    rises = all(part.rises for part in known) and all(x.last < y.first for x, y in pairwise(known))
    falls = all(part.falls for part in known) and all(x.last > y.first for x, y in pairwise(known))
    return (rises or falls) and abs(known[-1].last - known[0].first) <= _SPREAD * records


ORDER = Rule(
    "order", "Records are released in random order and without numbers that restore the old one.", _check, _look
)
