"""What columns tell about each other: linear identities, copies and linear images, functional dependencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Kind, Role
from ammg.data.rules.household_sum import SIZE, SUM, TOTAL, HouseholdSum
from ammg.data.rules.linear import LinearRule
from ammg.kernels.linear_relations import linear_relations, tolerance
from ammg.kernels.residues import residues

MOST_NUMBERS = 300
"""Columns among which identities are sought."""
MOST_KEYS = 60
"""Columns between which dependencies are sought."""
_ROWS = 10_000  # records on which relations are found, before all records are asked
_MOST_CATEGORIES = 1000
_FEWEST_HOMES = 5  # households whose totals agree before that says something


@dataclass(frozen=True)
class Dependency:
    """Each value of one column occurs with one value of the other."""

    determines: str
    determined: str
    mutual: bool = False

    def __str__(self) -> str:
        if self.mutual:
            return f"'{self.determines}' and '{self.determined}' correspond one to one"
        return f"'{self.determines}' determines '{self.determined}': each of its values occurs with only one value"


def find_identities(sample: pl.DataFrame, names: Sequence[str]) -> list[LinearRule]:
    """Linear relations between numeric columns of a sample of records, found by elimination."""
    names = list(names)[:MOST_NUMBERS]
    rows = _complete(sample.head(_ROWS) if len(sample) <= _ROWS else sample.sample(_ROWS, seed=0), names)
    matrix = _matrix(rows, names)
    found = [_identity(names, relation, matrix) for relation in linear_relations(matrix)]
    return [identity for identity in found if holds(sample, identity)]


def holds(frame: pl.DataFrame, identity: LinearRule) -> bool:
    """Whether every record that has all members meets an identity."""
    part = _matrix(frame.select(identity.columns), identity.columns)
    part = part[~np.isnan(part).any(axis=1)]
    missed = residues(part, identity.weights, identity.constant)
    allowed = tolerance(part, np.append(identity.weights, identity.constant))
    return bool(missed.max(initial=0.0) <= max(identity.tolerance, allowed) * (1 + 1e-9))


def find_household_sums(
    members: pl.DataFrame, household: str, totals: Sequence[str], parts: Sequence[str], least: float = 1.0
) -> list[HouseholdSum]:
    """Columns that add another one up over at least a share of the households, where chance would have broken them."""
    if not totals or not parts:
        return []
    numbers = members.lazy().select(household, pl.col(list({*totals, *parts})).cast(pl.Float64))
    sums = numbers.drop_nulls(household).group_by(household)
    homes = sums.agg(pl.col(list(totals)).max(), pl.col(list(parts)).sum().name.prefix(SUM)).collect()
    close = {
        (total, part): ((homes[total] - homes[SUM + part]).abs() <= 1e-9 * homes[total].abs()).mean() or 0.0
        for total in totals
        for part in parts
        if total != part
    }
    likely = [HouseholdSum.of(*pair, household) for pair, share in close.items() if float(share) >= 0.5 * least]  # type: ignore[arg-type]
    return [rule for rule in likely if adds_up(rule, rule.homes(members.select(rule.columns)), least)]


def adds_up(rule: HouseholdSum, homes: pl.DataFrame, least: float = 1.0) -> bool:
    """Whether enough of these households meet a rule.

    Households that have the most frequent total say nothing: where most people have no income, most sums of anything
    are zero.
    """
    known = homes.filter(pl.col(TOTAL).is_not_null() & (pl.col(SIZE) > 0))
    if not len(known):
        return False
    common = known[TOTAL].mode().sort()[0]
    telling = known.filter((pl.col(TOTAL) != common) | (pl.col(SUM) != common))
    held = telling.filter(~rule.missed()).height
    return held >= max(_FEWEST_HOMES, least * len(telling))


def find_dependencies(sample: pl.DataFrame, names: Sequence[str]) -> list[Dependency]:
    """Functional dependencies between categorical columns of a sample, where chance would have broken them."""
    coded = {name: codes_of(sample[name]) for name in list(names)[:MOST_KEYS]}
    coded = {name: (codes, size) for name, (codes, size) in coded.items() if 2 <= size <= _MOST_CATEGORIES}
    told = {(a, b) for a in coded for b in coded if a != b and tells(*coded[a], *coded[b])}
    out = []
    for a, b in sorted(told, key=lambda pair: (names.index(pair[0]), names.index(pair[1]))):
        mutual = (b, a) in told
        if not mutual or names.index(a) < names.index(b):
            out.append(Dependency(a, b, mutual))
    return out


def depends(frames: Sequence[pl.DataFrame], dependency: Dependency) -> bool:
    """Whether a dependency holds in all of these frames together."""
    pair = [dependency.determines, dependency.determined]
    distinct = pl.concat([frame.select(pair).unique() for frame in frames]).drop_nulls().unique()
    sides = pair if dependency.mutual else pair[:1]
    return all(distinct[name].n_unique() == len(distinct) for name in sides)


def is_candidate(role: Role, kind: Kind, distinct: int) -> bool:
    """Whether a column takes part in the search for dependencies."""
    return role in (Role.KEY, Role.CONFIDENTIAL, Role.OTHER) and (
        bool(kind & Kind.CATEGORICAL) or (bool(kind & Kind.INTEGER) and distinct <= 150)
    )


def _identity(names: Sequence[str], relation: NDArray[np.float64], matrix: NDArray[np.float64]) -> LinearRule:
    terms = {name: float(c) for name, c in zip(names, relation[:-1], strict=True) if c}
    missed = float(np.abs(matrix @ relation[:-1] - relation[-1]).max(initial=0.0))
    size = float(np.abs(matrix * relation[:-1]).sum(axis=1).max(initial=0.0))
    rounding = tolerance(matrix, relation) if missed > 1e-9 * size else 0.0
    return LinearRule.found(terms, float(relation[-1]), rounding)


def _complete(sample: pl.DataFrame, names: list[str]) -> pl.DataFrame:
    """Records without a missing value; columns that lack most leave (`names` too) until there are enough records."""
    while names:
        rows = sample.select(names).drop_nulls()
        if len(rows) >= min(len(sample), 20 * (len(names) + 2)) or len(names) < 2:
            return rows
        lacking = sample.select(names).null_count().row(0)
        if not any(lacking):
            return rows
        names.remove(names[int(np.argmax(lacking))])
    return sample.select(names)


def _matrix(frame: pl.DataFrame, names: Sequence[str]) -> NDArray[np.float64]:
    if not names:
        return np.empty((len(frame), 0))
    return frame.select(pl.col(list(names)).cast(pl.Float64)).to_numpy()


def codes_of(column: pl.Series) -> tuple[NDArray[np.int64], int]:
    """Codes 0 … L-1 in the order of the values, -1 for missing, and L."""
    if column.dtype == pl.Boolean:
        column = column.cast(pl.Int8)
    dense = column.rank("dense").cast(pl.Int64).fill_null(0).to_numpy() - 1
    return dense, int(dense.max(initial=-1)) + 1


def tells(left: NDArray[np.int64], sizes: int, right: NDArray[np.int64], size: int) -> bool:
    """Whether each left code occurs with one right code, and would not if they were independent."""
    for rows in (1000, len(left)):  # most pairs fail on the first thousand records
        x, y = left[:rows], right[:rows]
        both = (x >= 0) & (y >= 0)
        x, y = x[both], y[both]
        groups = np.bincount(x, minlength=sizes)
        pairs = len(np.unique(x * size + y))
        if pairs != np.count_nonzero(groups):
            return False
    shares = np.bincount(y, minlength=size) / max(len(y), 1)
    chances = (groups[groups > 1] - 1).sum() * (1 - np.square(shares).sum())
    return bool(chances >= 10)
