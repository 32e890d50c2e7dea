"""Correction of records that met the declared rules before a step and break one after it.

Sums are restored first, by computing one of the numbers that the step wrote. Then come a new draw, the values of a
similar record, and the smallest change, which restores as few values as possible. As a last resort, all values that the
step wrote are restored, and such a record has its full risk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.encoding import ID
from ammg.data.finding import Finding
from ammg.data.published import Published, PutBack
from ammg.data.rules.household_sum import HouseholdSum
from ammg.data.rules.linear import LinearRule
from ammg.data.rules.rule import Rule
from ammg.methods.method import PostEditing, Sees

if TYPE_CHECKING:
    from ammg.engines.engine import PlannedStep

Ints = NDArray[np.int64]
Correct = Callable[[pl.DataFrame, pl.DataFrame], Iterator[pl.DataFrame]]

WAYS: tuple[PostEditing, ...] = get_args(PostEditing)
_RESTORING = ("smallest change", "put back")
_DRAWS = 20  # new draws per record
_DONORS = 5  # similar records whose values are tried
_SETS = 64  # sets of columns tried for the smallest change


@dataclass(frozen=True)
class Edited(Finding):
    """How many records broke a rule, and how many were corrected in each way."""

    broken: int
    by_way: tuple[int, ...]
    columns: tuple[str, ...]
    """The columns that the step wrote."""
    added_up: int = 0
    """Records in which a number was computed from the other members of its sum."""

    def merge(self, later: Edited) -> Edited:
        """Counts add."""
        by_way = tuple(a + b for a, b in zip(self.by_way, later.by_way, strict=True))
        return Edited(self.broken + later.broken, by_way, self.columns, self.added_up + later.added_up)

    def published(self) -> tuple[Published, ...]:
        """The fact that values were restored, which the release checks use."""
        records = sum(count for way, count in zip(WAYS, self.by_way, strict=True) if way in _RESTORING)
        return (PutBack(self.columns, records),) if records else ()

    def notes(self) -> tuple[str, ...]:
        """The counts in a sentence."""
        if not self.broken:
            return ()
        words = ("drawn again", "given the values of a similar record", "corrected by the smallest change", "put back")
        counts = [("made to add up", self.added_up), *zip(words, self.by_way, strict=True)]
        done = ", ".join(f"{count:,} {word}" for word, count in counts if count)
        left = self.broken - self.added_up - sum(self.by_way)
        return (f"{self.broken:,} records broke a rule: {done}" + (f"; {left:,} still break one" if left else ""),)


def post_edited(step: PlannedStep, before: pl.DataFrame, after: pl.DataFrame) -> tuple[pl.DataFrame, Edited | None]:
    """The masked frame with corrections of records that met the rules before, and a finding about them."""
    written = [name for name in (*step.plan.schema.names, *_followers(step)) if name in after.columns]
    rules = [rule for rule in step.schema.rules if _is_edited(rule, written, after, before)]
    if not rules or not len(after):
        return after, None
    if not before[ID].equals(after[ID]):
        before = after.select(ID).join(before, on=ID, how="left", maintain_order="left")
    met = ~_breaks(rules, before)
    failing = np.flatnonzero(_breaks(rules, after) & met)
    counts = dict.fromkeys(WAYS, 0)
    broken = len(failing)
    shown = [name for name in written if name in before.columns]
    after, failing = _corrected(rules, after, failing, _added_up(rules, after[failing], shown))
    added_up = broken - len(failing)
    ways: dict[str, Correct] = {
        "redraw": lambda old, new: _redrawn(step, old),
        "donor": lambda old, new: _donated(step, after, met & ~_breaks(rules, after), old, new, shown),
        "smallest change": lambda old, new: _smallest(old, new, [n for n in shown if _in_rules(rules, n)]),
        "put back": lambda old, new: iter([_put_back(old, new, shown)]),
    }
    start = WAYS.index(step.method.post_edit) if step.method.post_edit else 0
    # Corrections that use other records would depend on how records are cut into blocks.
    alone = step.method.sees is Sees.RECORD
    for way in WAYS[start:]:
        if not len(failing):
            break
        if (way == "redraw" and not alone) or (way == "donor" and alone):
            continue
        failed = len(failing)
        after, failing = _corrected(rules, after, failing, ways[way](before[failing], after[failing]))
        counts[way] = failed - len(failing)
    return after, Edited(broken, tuple(counts.values()), tuple(shown), added_up)


def _corrected(
    rules: Sequence[Rule], after: pl.DataFrame, failing: Ints, candidates: Iterator[pl.DataFrame]
) -> tuple[pl.DataFrame, Ints]:
    """Replace failing records by the first candidate that meets the rules; also returns those that still fail."""
    if not len(failing):
        return after, failing
    changed, left = after[failing], np.arange(len(failing))
    for candidate in candidates:
        fine = left[~_breaks(rules, candidate)[left]]
        if len(fine):
            changed = _with_rows(changed, candidate, fine)
            left = np.setdiff1d(left, fine)
        if not len(left):
            break
    return _replaced(after, failing, changed), failing[left]


def _added_up(rules: Sequence[Rule], masked: pl.DataFrame, written: Sequence[str]) -> Iterator[pl.DataFrame]:
    """The records with one written member of each sum computed from the others: first the total, then each part."""
    sums = [rule for rule in rules if isinstance(rule, LinearRule) and rule.is_identity]
    members = [[name for name in rule.columns if name in written] for rule in sums]
    for place in range(max((len(names) for names in members), default=0)):
        candidate = masked
        for rule, names in zip(sums, members, strict=True):
            candidate = candidate.with_columns(_solved(rule, names[min(place, len(names) - 1)], candidate))
        yield candidate


def _solved(rule: LinearRule, name: str, frame: pl.DataFrame) -> pl.Series:
    """One member of a sum, computed from the others; rounded if it is stored as a whole number."""
    others = [pl.col(other).cast(pl.Float64) * -factor for other, factor in rule.coefficients.items() if other != name]
    total = pl.sum_horizontal(pl.lit(rule.constant), *others, ignore_nulls=False) / rule.coefficients[name]
    dtype = frame.schema[name]
    value = total.round().cast(dtype, strict=False) if dtype.is_integer() else total
    return frame.select(value.alias(name)).to_series()


def _is_edited(rule: Rule, written: Sequence[str], after: pl.DataFrame, before: pl.DataFrame) -> bool:
    """Whether a rule about single records can be broken by the step; household sums have their own step."""
    if isinstance(rule, HouseholdSum):
        return False
    there = all(name in after.columns and name in before.columns for name in rule.columns)
    measured = there and all(after.schema[name].is_numeric() for name in rule.numeric)
    return measured and any(name in written for name in rule.columns)


def _breaks(rules: Sequence[Rule], frame: pl.DataFrame) -> NDArray[np.bool_]:
    broken = np.zeros(len(frame), dtype=bool)
    for rule in rules:
        broken |= rule.check(frame)
    return broken


def _in_rules(rules: Sequence[Rule], name: str) -> bool:
    return any(name in rule.columns for rule in rules)


def _followers(step: PlannedStep) -> list[str]:
    return [name for names in step.followers.values() for name in names]


def _redrawn(step: PlannedStep, before: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The same records with other random numbers, until nothing changes."""
    last = None
    for attempt in range(_DRAWS):
        drawn = step.redrawn(before, attempt)
        if len(drawn) != len(before) or (last is not None and drawn.equals(last)):
            return
        last = drawn
        yield drawn


def _donated(
    step: PlannedStep,
    after: pl.DataFrame,
    passing: NDArray[np.bool_],
    before: pl.DataFrame,
    masked: pl.DataFrame,
    written: Sequence[str],
) -> Iterator[pl.DataFrame]:
    """The written values of the records nearest in the other attributes of the rules and in the keys."""
    from ammg.kernels.linkage.nearest import k_nearest

    rules = {name for rule in step.schema.rules for name in rule.columns}
    names = [
        a.name
        for a in step.schema
        if a.name not in written and a.name in after.columns and (a.name in rules or a.name in step.schema.keys)
    ]
    names = [name for name in names if step.schema[name].kind & Kind.CODED]
    donors = np.flatnonzero(passing)
    if not names or not len(donors):
        return
    both = pl.concat([after[donors].select(names), before.select(names)])
    columns, kinds = [], []
    for name in names:
        numeric = both.schema[name].is_numeric()
        values = both[name].cast(pl.Float64) if numeric else both[name].cast(pl.String).rank("dense").cast(pl.Float64)
        numbers = values.fill_null(float("nan")).to_numpy()
        scale = float(np.nanstd(numbers)) if numeric and np.isfinite(numbers).any() else 1.0
        columns.append(numbers / scale if scale > 0 else numbers * 0.0)
        kinds.append(0 if numeric else 2)
    points = np.column_stack(columns)
    rows, _ = k_nearest(points[: len(donors)], points[len(donors) :], min(_DONORS, len(donors)), kinds=kinds)
    for column in rows.T:
        chosen = after[donors[np.maximum(column, 0)]]
        yield masked.with_columns(chosen[name].alias(name) for name in written)


def _smallest(before: pl.DataFrame, masked: pl.DataFrame, names: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Restore one value, then two, and so on."""
    tried = 0
    for size in range(1, len(names)):
        for some in combinations(names, size):
            if tried >= _SETS:
                return
            tried += 1
            yield _put_back(before, masked, some)


def _put_back(before: pl.DataFrame, masked: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The masked records with some values restored to those before the step."""
    return masked.with_columns(_as(before[name], masked.schema[name]) for name in names)


def _as(values: pl.Series, dtype: pl.DataType) -> pl.Series:
    """Values in the type of the masked column; a value that it cannot hold becomes missing."""
    if values.dtype == dtype:
        return values
    return (values.cast(pl.String) if isinstance(dtype, pl.Enum) else values).cast(dtype, strict=False)


def _with_rows(frame: pl.DataFrame, other: pl.DataFrame, rows: Ints) -> pl.DataFrame:
    """The frame with some rows taken from another frame of the same records."""
    taken = np.zeros(len(frame), dtype=bool)
    taken[rows] = True
    mask = pl.Series(taken)
    return frame.with_columns(
        _as(other[name], frame.schema[name]).zip_with(mask, frame[name]).alias(name)
        for name in frame.columns
        if name != ID
    )


def _replaced(frame: pl.DataFrame, rows: Ints, changed: pl.DataFrame) -> pl.DataFrame:
    """The frame with some rows replaced."""
    place = np.full(len(frame), -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    mask = pl.Series(place >= 0)
    positions = np.maximum(place, 0)
    return frame.with_columns(
        changed[name].gather(positions).zip_with(mask, frame[name]).alias(name) for name in frame.columns if name != ID
    )
