"""Values changed as little as possible so that linear identities hold again.

min Σ costs_j |v'_ij - v_ij|  subject to  A v'_i = b for every record i and lower ≤ v' ≤ upper. Without totals, records
are separate problems, and so are identities without common columns. A single identity is a fractional knapsack: columns
with most correction per cost go first, each up to its bound. The rest are linear programs.
Source: Shlomo's overview of disclosure control methods, additivity by linear programming.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

BATCH = 2_000  # records per sparse program
INTEGER_BATCH = 2  # records per integer program, whose time grows faster than its size


class Identities(NamedTuple):
    """A v = b: a row of `coefficients` and an entry of `constants` for each identity."""

    coefficients: Floats
    constants: Floats

    def residuals(self, values: Floats) -> Floats:
        """b - A v, one column per identity."""
        return np.asarray(self.constants - (values[:, None, :] * self.coefficients).sum(axis=2))

    def broken(self, values: Floats, tolerance: float) -> Booleans:
        """Where the residual exceeds `tolerance` times the size of the terms, one column per identity."""
        return np.asarray(np.abs(self.residuals(values)) > tolerance * self.sizes(values))

    def sizes(self, values: Floats) -> Floats:
        """|A| |v| + |b|: the size of the terms of each identity."""
        return np.asarray(np.abs(values) @ np.abs(self.coefficients).T + np.abs(self.constants))

    def parts(self) -> Iterator[tuple[Integers, Integers]]:
        """(identities, columns) of each set of identities without columns in common with another."""
        used = self.coefficients != 0
        waiting = set(range(len(used)))
        while waiting:
            rows = {waiting.pop()}
            while True:
                columns = used[sorted(rows)].any(axis=0)
                more = {row for row in waiting if (used[row] & columns).any()}
                if not more:
                    break
                rows |= more
                waiting -= more
            yield np.array(sorted(rows)), np.flatnonzero(columns)

    def only(self, rows: Integers, columns: Integers) -> Identities:
        """Some of the identities on some of the columns."""
        return Identities(self.coefficients[np.ix_(rows, columns)], self.constants[rows])


class Infeasible(ValueError):
    """No values within the bounds satisfy the identities."""

    def __init__(self, identity: int | None, records: Integers, column: int | None = None) -> None:
        super().__init__(f"{len(records)} records have no solution within their bounds.")
        self.identity = identity
        """The identity that fails; None if the total of `column` cannot be kept."""
        self.records = records
        self.column = column


def restore_additivity(
    values: Floats,
    identities: Identities,
    costs: Floats,
    lower: Floats,
    upper: Floats,
    *,
    integers: bool = False,
    tolerance: float = 1e-9,
) -> Floats:
    """Records that satisfy the identities, at the least cost; those that already do are unchanged.

    Bounds are arrays with the shape of the values; equal bounds fix a value. With `integers`, values are rounded first
    and change by whole numbers; coefficients and constants must be whole.

    Raises:
        Infeasible: a record has no solution; `identity` and `records` say where.
    """
    start = np.clip(values, lower, upper)
    if integers:
        lower, upper = np.ceil(lower - 1e-9), np.floor(upper + 1e-9)
        start = np.clip(np.rint(start), lower, upper)
    result = start.copy()
    for rows, columns in identities.parts():
        part = identities.only(rows, columns)
        todo = np.flatnonzero(part.broken(start[:, columns], tolerance).any(axis=1))
        cells = np.ix_(todo, columns)
        simple = len(rows) == 1 and (not integers or bool((np.abs(part.coefficients) == 1).all()))
        try:
            result[cells] = (_fill if simple else _solve)(
                start[cells], part, costs[columns], lower[cells], upper[cells], integers
            )
        except Infeasible as failure:
            raise Infeasible(int(rows[failure.identity or 0]), todo[failure.records]) from None
    return result


def _fill(start: Floats, identity: Identities, costs: Floats, lower: Floats, upper: Floats, integers: bool) -> Floats:
    """One identity: the columns with most correction per cost change first, each up to its bound."""
    coefficients = identity.coefficients[0]
    result = start.copy()
    order = np.argsort(costs / np.abs(coefficients), kind="stable")
    open_ = identity.residuals(start)[:, 0]
    for j in order:
        wanted = result[:, j] + open_ / coefficients[j]
        moved = np.clip(wanted, lower[:, j], upper[:, j])
        # A whole step closes the identity: rounding errors must not change the next column.
        open_ = np.where(moved == wanted, 0.0, open_ - coefficients[j] * (moved - result[:, j]))
        result[:, j] = moved
    for j in order:  # the small sum of large terms keeps their rounding errors: close them on changed columns
        inside = (result[:, j] != start[:, j]) & (result[:, j] > lower[:, j]) & (result[:, j] < upper[:, j])
        closed = np.clip(result[:, j] + identity.residuals(result)[:, 0] / coefficients[j], lower[:, j], upper[:, j])
        result[:, j] = np.where(inside & (open_ == 0), closed, result[:, j])
    failing = np.flatnonzero((open_ != 0) & identity.broken(result, 1e-9)[:, 0])
    if len(failing):
        raise Infeasible(0, failing)
    return result


def _solve(
    start: Floats, identities: Identities, costs: Floats, lower: Floats, upper: Floats, integers: bool
) -> Floats:
    """Several identities: sparse linear programs, thousands of records at a time.

    Most integer programs have whole solutions without the constraint; only the others are solved as integer programs.
    """
    result = _solve_in_batches(start, identities, costs, lower, upper, BATCH, integers=False)
    if integers:
        whole = np.rint(result)
        todo = np.flatnonzero(identities.broken(whole, 0.0).any(axis=1) | (np.abs(whole - result) > 1e-6).any(axis=1))
        whole[todo] = _solve_in_batches(
            start[todo], identities, costs, lower[todo], upper[todo], INTEGER_BATCH, integers=True
        )
        return whole
    return result


def _solve_in_batches(
    start: Floats, identities: Identities, costs: Floats, lower: Floats, upper: Floats, batch: int, *, integers: bool
) -> Floats:
    from ammg.kernels.rounding.additive_program import AdditiveProgram

    result = start.copy()
    for first in range(0, len(start), batch):
        some = slice(first, first + batch)
        program = AdditiveProgram(start[some], identities, costs, lower[some], upper[some])
        try:
            result[some] = program.solve(integers=integers)
        except Infeasible as failure:
            raise Infeasible(failure.identity, failure.records + first) from None
    return result
