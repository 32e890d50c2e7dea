"""What columns tell about each other: linear identities, copies and linear images, functional dependencies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Kind, Role
from ammg.data.identity import quoted
from ammg.kernels.linear_relations import linear_relations, tolerance

MOST_NUMBERS = 300
"""Columns among which identities are sought."""
MOST_KEYS = 60
"""Columns between which dependencies are sought."""
_ROWS = 10_000  # records on which relations are found, before all records are asked
_MOST_CATEGORIES = 1000


@dataclass(frozen=True)
class Identity:
    """Σ coefficient · column = constant, in every record that has all of them."""

    terms: tuple[tuple[str, float], ...]
    constant: float = 0.0
    rounding: float = 0.0
    """The largest amount by which a record may miss it."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The members."""
        return tuple(name for name, _ in self.terms)

    @property
    def is_image(self) -> bool:
        """Whether one column is a linear image of another one."""
        return len(self.terms) == 2

    def solved(self, name: str, exact: bool = False) -> str:
        """The identity as a formula for one member; an exact one can be declared as it is."""
        own = dict(self.terms)[name]
        written: Callable[[str], str] = quoted if exact else str
        parts = [(-c / own, other) for other, c in self.terms if other != name]
        if self.constant:
            parts.append((self.constant / own, ""))
        parts.sort(key=lambda part: part[0] < 0)
        text = ""
        for coefficient, other in parts:
            size = f"{abs(coefficient):.6g}"
            if exact and float(size) != abs(coefficient):
                size = repr(abs(coefficient))
            term = (written(other) if size == "1" else f"{size} × {written(other)}") if other else size
            sign = "-" if coefficient < 0 else "+"
            text += f" {sign} {term}" if text else (f"-{term}" if coefficient < 0 else term)
        return f"{written(name)} = {text or 0}"

    @property
    def formula(self) -> str:
        """The identity as it can be declared."""
        return self.solved(self._total(), exact=True)

    def __str__(self) -> str:
        formula = self.solved(self._total())
        return f"{formula}, up to rounding" if self.rounding else formula

    def _total(self) -> str:
        """The member that stands alone on its side; the last one where none does."""
        for sign in (1, -1):
            alone = [name for name, c in self.terms if c * sign > 0]
            if len(alone) == 1 and (len(self.terms) > 2 or sign > 0):
                return alone[0]
        return self.terms[-1][0]


@dataclass(frozen=True)
class Dependency:
    """Each value of one column occurs with one value of the other."""

    determines: str
    determined: str
    mutual: bool = False

    def __str__(self) -> str:
        if self.mutual:
            return f"'{self.determines}' and '{self.determined}' tell each other: their values go together one to one"
        return f"'{self.determines}' tells '{self.determined}': each of its values goes with one value"


def find_identities(sample: pl.DataFrame, names: Sequence[str]) -> list[Identity]:
    """Linear relations between numeric columns of a sample of records, found by elimination."""
    names = list(names)[:MOST_NUMBERS]
    rows = _complete(sample.head(_ROWS) if len(sample) <= _ROWS else sample.sample(_ROWS, seed=0), names)
    matrix = _matrix(rows, names)
    found = [_identity(names, relation, matrix) for relation in linear_relations(matrix)]
    return [identity for identity in found if holds(sample, identity)]


def holds(frame: pl.DataFrame, identity: Identity) -> bool:
    """Whether every record that has all members meets an identity."""
    part = _matrix(frame.select(identity.columns), identity.columns)
    part = part[~np.isnan(part).any(axis=1)]
    relation = np.array([*(c for _, c in identity.terms), identity.constant])
    missed = np.abs(part @ relation[:-1] - relation[-1])
    return bool(missed.max(initial=0.0) <= max(identity.rounding, tolerance(part, relation)) * (1 + 1e-9))


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


def _identity(names: Sequence[str], relation: NDArray[np.float64], matrix: NDArray[np.float64]) -> Identity:
    terms = tuple((name, float(c)) for name, c in zip(names, relation[:-1], strict=True) if c)
    missed = float(np.abs(matrix @ relation[:-1] - relation[-1]).max(initial=0.0))
    size = float(np.abs(matrix * relation[:-1]).sum(axis=1).max(initial=0.0))
    rounding = tolerance(matrix, relation) if missed > 1e-9 * size else 0.0
    return Identity(terms, float(relation[-1]), rounding)


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
