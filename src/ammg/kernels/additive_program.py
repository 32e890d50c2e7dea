"""The linear program behind restored additivity: moves up and down from given records, solved by HiGHS.

v' = v + up - down. Moves are counted in units of about 1/cost, so that columns of any unit of measurement meet the
solver's tolerance alike.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse
from scipy.sparse.linalg import lsqr

from ammg.kernels.restore_additivity import Floats, Identities, Infeasible, restore_additivity

STILL = 1e-9  # moves below this, in units of 1/cost, are the solver's rounding
NARROWEST = 1e-4  # least unit of a column, as a share of the greatest: solvers drop coefficients that are far smaller
OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class AdditiveProgram:
    """Records within their bounds, identities, and optionally (weighted) means of columns to keep (NaN: any)."""

    def __init__(
        self,
        start: Floats,
        identities: Identities,
        costs: Floats,
        lower: Floats,
        upper: Floats,
        means: Floats | None = None,
        weights: Floats | None = None,
    ) -> None:
        self.start, self.identities, self.costs = start, identities, costs
        self.lower, self.upper = lower, upper
        self.means = np.full(len(costs), np.nan) if means is None else means
        masses = np.ones(len(start)) if weights is None else weights
        self.shares = masses / masses.sum()

    def solve(self, *, integers: bool = False) -> Floats:
        """The records at least cost.

        Raises:
            Infeasible: there is no solution within the bounds.
        """
        units = np.ones_like(self.costs) if integers else np.maximum(1.0 / self.costs, NARROWEST / self.costs.min())
        matrix, right = self._constraints(units)
        found = self._moves(matrix, right, np.tile(self.costs * units, len(self.start)), units, integers)
        if found is None:
            self._name_what_fails(units)
            raise RuntimeError("The linear program of additivity was not solved, though it has a solution.")
        moves = found.reshape(self.start.shape) * units
        if integers:
            return np.asarray(self.start + np.rint(moves))
        return self._polished(moves, matrix, right, units)

    def _constraints(self, units: Floats) -> tuple[sparse.csr_array, Floats]:
        """Identities of every record, then the means that they do not imply; scaled rows, moves in units."""
        n, m = self.start.shape
        scaled = self.identities.coefficients * units
        rows = 1.0 / np.abs(scaled).max(axis=1)
        matrix: Any = sparse.kron(sparse.eye_array(n), sparse.csr_array(scaled * rows[:, None]))
        right = (self.identities.residuals(self.start) * rows).ravel()
        kept = self._independent_means(units)
        if len(kept):
            picked = sparse.csr_array((np.ones(len(kept)), (np.arange(len(kept)), kept)), shape=(len(kept), m))
            matrix = sparse.vstack([matrix, sparse.kron(sparse.csr_array(n * self.shares[None, :]), picked)])
            right = np.concatenate([right, n * ((self.means - self.shares @ self.start) / units)[kept]])
        return sparse.csr_array(matrix), right

    def _independent_means(self, units: Floats) -> NDArray[np.int64]:
        """Columns with a given mean that the identities and the means before it do not fix already."""
        known = self.identities.coefficients * units
        known = known / np.abs(known).max(axis=1, keepdims=True)
        rank, kept = np.linalg.matrix_rank(known), []
        for column in np.flatnonzero(~np.isnan(self.means)):
            further = np.vstack([known, np.eye(known.shape[1])[column]])
            if np.linalg.matrix_rank(further) > rank:
                known, rank = further, rank + 1
                kept.append(column)
        return np.array(kept, dtype=np.int64)

    def _moves(
        self, matrix: sparse.csr_array, right: Floats, costs: Floats, units: Floats, integers: bool
    ) -> Floats | None:
        """Net moves in units, or None if HiGHS found no solution."""
        answer = _minimise(
            np.concatenate([costs, costs]), sparse.hstack([matrix, -matrix]), right, self._room(units), integers
        )
        return None if answer is None else np.asarray(answer[: len(costs)] - answer[len(costs) :])

    def _room(self, units: Floats) -> Floats:
        """How far values may go up, and then how far down, in units."""
        up, down = (self.upper - self.start) / units, (self.start - self.lower) / units
        return np.asarray(np.maximum(np.concatenate([up.ravel(), down.ravel()]), 0.0))

    def _polished(self, moves: Floats, matrix: sparse.csr_array, right: Floats, units: Floats) -> Floats:
        """Close what the solver's tolerance left open, on the values that it moved and that no bound holds."""
        moves = np.where(np.abs(moves) > STILL * units, moves, 0.0)
        low, high = self.lower - self.start, self.upper - self.start
        moves = np.where(np.abs(moves - low) <= STILL * units, low, moves)
        moves = np.where(np.abs(moves - high) <= STILL * units, high, moves)
        inside = (moves > low) & (moves < high)
        for free in (inside & (moves != 0), inside):
            places = np.flatnonzero(free)
            scaled = (moves / units).ravel()
            left = right - matrix @ scaled
            if np.abs(left).max(initial=0.0) <= 1e-15 or not len(places):
                continue
            scaled[places] += lsqr(matrix[:, places], left, atol=1e-15, btol=1e-15, iter_lim=200)[0]
            moves = np.clip(scaled.reshape(moves.shape) * units, low, high)
        return np.asarray(self.start + moves)

    def _name_what_fails(self, units: Floats) -> None:
        """Let identities, and then means, be missed at a price: what is missed cannot hold."""
        n = len(self.start)
        alone = AdditiveProgram(self.start, self.identities, self.costs, self.lower, self.upper)
        missed = alone._missed(units).reshape(n, -1) > 1e-7
        if missed.any():
            identity = int(np.argmax(missed.sum(axis=0)))
            raise Infeasible(identity, np.flatnonzero(missed[:, identity]))
        if len(self._independent_means(units)):
            missed_means = self._missed(units)[n * len(self.identities.constants) :]
            raise Infeasible(None, np.arange(n), int(self._independent_means(units)[np.argmax(missed_means)]))

    def _missed(self, units: Floats) -> Floats:
        """By how much each constraint is missed where all together are missed least; identities cost more."""
        matrix, right = self._constraints(units)
        room, slack = self._room(units), sparse.eye_array(len(right), format="csr")
        prices = np.ones(len(right))
        prices[: len(self.start) * len(self.identities.constants)] = 100.0
        answer = _minimise(
            np.concatenate([np.zeros(len(room)), prices, prices]),
            sparse.hstack([matrix, -matrix, slack, -slack]),
            right,
            np.concatenate([room, np.full(2 * len(right), np.inf)]),
        )
        if answer is None:
            raise RuntimeError("The linear program that looks for what fails was not solved.")
        over, under = np.split(answer[len(room) :], 2)
        return np.asarray(over + under)


def restore_with_means(
    values: Floats,
    identities: Identities,
    costs: Floats,
    lower: Floats,
    upper: Floats,
    means: Floats,
    weights: Floats | None = None,
) -> Floats:
    """Records for which the identities hold and whose columns have these (weighted) means, at the least cost.

    A mean that is NaN is left open.

    Raises:
        Infeasible: a record has no solution, or the mean of a column cannot be had within the bounds, or the means
            break an identity themselves, for which no record is to blame.
    """
    masses = np.ones(len(values)) if weights is None else weights
    floor, ceiling = _mean_bounds(lower, upper, masses)
    given = ~np.isnan(means)
    slack = 1e-9 / costs
    beyond = np.flatnonzero(given & ((means < floor - slack) | (means > ceiling + slack)))
    if len(beyond):
        raise Infeasible(None, np.arange(len(values)), int(beyond[0]))
    floor, ceiling = np.where(given, means - slack, floor), np.where(given, means + slack, ceiling)
    start = np.clip(values, lower, upper)
    _means_within(start, identities, costs, lower, upper, masses, floor, ceiling)
    result = start.copy()
    for rows, columns in identities.parts():
        part = (start[:, columns], identities.only(rows, columns), costs[columns], lower[:, columns], upper[:, columns])
        try:
            result[:, columns] = AdditiveProgram(*part, means[columns], masses).solve()
        except Infeasible as failure:
            identity = None if failure.identity is None else int(rows[failure.identity])
            column = None if failure.column is None else int(columns[failure.column])
            raise Infeasible(identity, failure.records, column) from None
    return result


def additive_means(
    values: Floats, identities: Identities, costs: Floats, lower: Floats, upper: Floats, weights: Floats
) -> Floats:
    """The weighted means of the columns, moved as little as possible until the identities hold for them.

    Raises:
        Infeasible: a record has no solution within its bounds.
    """
    floor, ceiling = _mean_bounds(lower, upper, weights)
    return _means_within(np.clip(values, lower, upper), identities, costs, lower, upper, weights, floor, ceiling)


def _means_within(
    start: Floats,
    identities: Identities,
    costs: Floats,
    lower: Floats,
    upper: Floats,
    masses: Floats,
    floor: Floats,
    ceiling: Floats,
) -> Floats:
    means = np.average(start, axis=0, weights=masses)[None]
    try:
        return np.asarray(restore_additivity(means, identities, costs, floor[None], ceiling[None])[0])
    except Infeasible as failure:
        restore_additivity(start, identities, costs, lower, upper)  # names records that fail whatever the means
        raise Infeasible(failure.identity, np.arange(0)) from None


def _mean_bounds(lower: Floats, upper: Floats, masses: Floats) -> tuple[Floats, Floats]:
    counted = masses > 0  # no weight times an infinite bound is nothing
    floor, ceiling = (np.average(bound[counted], axis=0, weights=masses[counted]) for bound in (lower, upper))
    return floor, ceiling


def _minimise(costs: Floats, matrix: Any, right: Floats, room: Floats, integers: bool = False) -> Floats | None:
    """The x between 0 and `room` with matrix @ x = right and the least cost, or None."""
    solver: Any = optimize.linprog
    for options in (OPTIONS, {}, {"presolve": False}):  # what rounding makes infeasible at first is polished later
        answer = solver(
            costs,
            A_eq=sparse.csr_array(matrix),
            b_eq=right,
            bounds=np.column_stack([np.zeros(len(room)), room]),
            method="highs",
            integrality=int(integers),
            options=options,
        )
        if answer.status == 0:
            return np.asarray(answer.x)
    return None
