"""The linear program behind restored additivity: moves up and down from given records, solved by HiGHS.

v' = v + up - down. Moves are counted in units of about 1/cost times the size of the open residual, so that columns with
any unit of measurement, and records far in the tails, meet the solver's tolerance equally well. Residuals within the
tolerance are then closed up to rounding.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from ammg.kernels.rounding.additive_projection import CLOSED, NOTHING, close_residuals, is_open
from ammg.kernels.rounding.restore_additivity import Floats, Identities, Infeasible

LEFT = 1e-10  # of the size of terms: larger residuals are solved again
STILL = 1e-9  # moves below this, in units, are rounding errors of the solver
MISSED = 1e-7  # the solver's tolerance for a right-hand side of one
SMALLEST = 1e-7  # of the size of terms: smaller residuals are not scaled up, or rounding would look infeasible
NARROWEST = 1e-4  # least unit of a column, as a share of the largest: solvers drop far smaller coefficients
BEYOND = 1e4  # price of missing a mean, relative to the most expensive move
OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class AdditiveProgram:
    """Records within their bounds, identities, and optionally (weighted) means of columns to keep (NaN: free)."""

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

    def solve(self, *, integers: bool = False, firm: bool = True, again: int = 3) -> Floats:
        """The records at least cost; means that are not firm are missed by as little as the bounds allow.

        Open residuals of a solution are solved `again`, on their own scale.

        Raises:
            Infeasible: there is no solution within the bounds.
        """
        units, sizes = self._units(integers=integers)
        matrix, right = self._constraints(units, sizes)
        found = self._moves(matrix, right, units, sizes, integers)
        missing_means = found is None and not firm
        if missing_means:
            found = self._nearest(matrix, right, units, sizes)
        if found is None:
            self._name_what_fails()
            raise RuntimeError("The linear program of additivity was not solved, though it has a solution.")
        moves = found.reshape(self.start.shape) * units * sizes
        if integers:
            return np.asarray(self.start + np.rint(moves))
        means = np.full_like(self.means, np.nan) if missing_means else self.means
        return self._refined(self._polished(moves, units * sizes, means), means, again)

    def _units(self, *, integers: bool = False) -> tuple[Floats, Floats]:
        """The unit of moves of each column, and a factor for each record.

        The factor is the size of the open residuals: of the record, or of all records if means couple them.
        """
        if integers:
            return np.ones_like(self.costs), np.ones((len(self.start), 1))
        units = np.maximum(1.0 / self.costs, NARROWEST / self.costs.min())
        sizes = np.ones((len(self.start), 1))
        _, right = self._constraints(units, sizes)
        rows = np.abs(self.identities.coefficients * units).max(axis=1)
        terms = SMALLEST * (self.identities.sizes(self.start) / rows).max(axis=1, keepdims=True)
        if np.isnan(self.means).all():
            sizes = np.maximum(np.abs(right).reshape(len(self.start), -1).max(axis=1, keepdims=True), terms)
        else:
            sizes *= max(np.abs(right).max(initial=0.0), terms.max(initial=0.0))
        return units, np.where(sizes > 0, sizes, 1.0)

    def _constraints(self, units: Floats, sizes: Floats) -> tuple[sparse.csr_array, Floats]:
        """Identities of every record, then the means that they do not imply; rows are scaled, moves in units."""
        n, m = self.start.shape
        scaled = self.identities.coefficients * units
        rows = 1.0 / np.abs(scaled).max(axis=1)
        matrix: Any = sparse.kron(sparse.eye_array(n), sparse.csr_array(scaled * rows[:, None]))
        right = (self.identities.residuals(self.start) * rows / sizes).ravel()
        kept = self._kept
        if len(kept):
            picked = sparse.csr_array((np.ones(len(kept)), (np.arange(len(kept)), kept)), shape=(len(kept), m))
            matrix = sparse.vstack([matrix, sparse.kron(sparse.csr_array(n * self.shares[None, :]), picked)])
            gaps = (self.means - self.shares @ self.start) / (units * sizes[0])  # one size for all if there are means
            right = np.concatenate([right, n * gaps[kept]])
        return sparse.csr_array(matrix), right

    @cached_property
    def _kept(self) -> NDArray[np.int64]:
        """Columns with a given mean that the identities and earlier means do not already determine.

        Small columns come first: what they imply for the mean of a large one is exact up to its rounding, not vice
        versa.
        """
        known = self.identities.coefficients / self.costs
        known = known / np.abs(known).max(axis=1, keepdims=True)
        rank, kept = np.linalg.matrix_rank(known), []
        for column in np.argsort(-self.costs, kind="stable"):
            further = np.vstack([known, np.eye(known.shape[1])[column]])
            if not np.isnan(self.means[column]) and np.linalg.matrix_rank(further) > rank:
                known, rank = further, rank + 1
                kept.append(column)
        return np.array(kept, dtype=np.int64)

    def _moves(
        self, matrix: sparse.csr_array, right: Floats, units: Floats, sizes: Floats, integers: bool
    ) -> Floats | None:
        """Net moves in units, or None if HiGHS found no solution."""
        costs = np.tile(self.costs * units, len(self.start))
        both = np.concatenate([costs, costs])
        answer = _minimise(both, sparse.hstack([matrix, -matrix]), right, self._room(units * sizes), integers)
        return None if answer is None else np.asarray(answer[: len(costs)] - answer[len(costs) :])

    def _nearest(self, matrix: sparse.csr_array, right: Floats, units: Floats, sizes: Floats) -> Floats | None:
        """Net moves in units if means may be missed, at a price above that of any move."""
        costs, means = np.tile(self.costs * units, len(self.start)), len(self._kept)
        slack = sparse.eye_array(len(right), means, k=means - len(right), format="csr")
        prices = np.full(2 * means, BEYOND * costs.max())
        answer = _minimise(
            np.concatenate([costs, costs, prices]),
            sparse.hstack([matrix, -matrix, slack, -slack]),
            right,
            np.concatenate([self._room(units * sizes), np.full(2 * means, np.inf)]),
        )
        return None if answer is None else np.asarray(answer[: len(costs)] - answer[len(costs) : 2 * len(costs)])

    def _room(self, units: Floats) -> Floats:
        """How far values may move up, then how far down, in units."""
        up, down = (self.upper - self.start) / units, (self.start - self.lower) / units
        return np.asarray(np.maximum(np.concatenate([up.ravel(), down.ravel()]), 0.0))

    def _polished(self, moves: Floats, units: Floats, means: Floats) -> Floats:
        """Close the residuals within the solver's tolerance, by the values that it moved and that are not at a bound.

        If those leave no room, values that it did not move are used.
        """
        low, high = self.lower - self.start, self.upper - self.start
        values = np.where(np.abs(moves) > STILL * units, self.start + moves, self.start)
        values = np.where(np.abs(moves - low) <= STILL * units, self.lower, values)
        values = np.where(np.abs(moves - high) <= STILL * units, self.upper, values)
        values = np.where((values != self.start) & (np.abs(values) <= NOTHING * units), 0.0, values)
        values = np.clip(values, self.lower, self.upper)
        room = np.minimum(np.minimum(values - self.lower, self.upper - values), units)
        reach = np.where(values != self.start, room, 0.0)
        values = self._closed(values, reach, means)
        open_ = self._open(values, means)
        return self._closed(values, np.where(open_[:, None], room, reach), means) if open_.any() else values

    def _refined(self, values: Floats, means: Floats, again: int) -> Floats:
        """Solve the open residuals again from here: values at their bounds may block others that have to move."""
        sizes, apart = self.identities.sizes(values), np.isnan(means).all()
        rounding = CLOSED * sizes.max(axis=1)
        open_ = (np.abs(self.identities.residuals(values)) > LEFT * sizes + rounding[:, None]).any(axis=1)
        gaps = np.abs(self.shares @ values - means)
        open_ |= (gaps > self.shares @ (LEFT * np.abs(values) + rounding[:, None])).any()
        if not again or not open_.any():
            return values
        records = np.flatnonzero(open_) if apart else np.arange(len(values))
        part = (self.identities, self.costs, self.lower[records], self.upper[records])
        result = values.copy()
        try:
            result[records] = AdditiveProgram(values[records], *part, means, self.shares[records]).solve(
                again=again - 1
            )
        except (Infeasible, RuntimeError):
            return values  # solved to the tolerance; the rest is rounding
        return result

    def _open(self, values: Floats, means: Floats) -> NDArray[np.bool_]:
        """Records with open residuals: all of them if a mean is missed."""
        missed = np.abs(self.shares @ values - means) > CLOSED * (self.shares @ np.abs(values))
        return np.asarray(is_open(self.identities, values) | missed.any())

    def _closed(self, values: Floats, reach: Floats, means: Floats) -> Floats:
        kept = np.full_like(means, np.nan)
        kept[self._kept] = means[self._kept]
        return close_residuals(values, self.identities, reach, self.lower, self.upper, kept, self.shares)

    def _name_what_fails(self) -> None:
        """Allow identities, then means, to be missed at a price: those that are missed cannot hold."""
        n = len(self.start)
        alone = AdditiveProgram(self.start, self.identities, self.costs, self.lower, self.upper)
        missed = alone._missed().reshape(n, -1) > MISSED
        if missed.any():
            identity = int(np.argmax(missed.sum(axis=0)))
            raise Infeasible(identity, np.flatnonzero(missed[:, identity]))
        if len(self._kept):
            missed_means = self._missed()[n * len(self.identities.constants) :]
            raise Infeasible(None, np.arange(n), int(self._kept[np.argmax(missed_means)]))

    def _missed(self) -> Floats:
        """The violation of each constraint if all together are violated least; identities cost more."""
        units, sizes = self._units()
        matrix, right = self._constraints(units, sizes)
        room, slack = self._room(units * sizes), sparse.eye_array(len(right), format="csr")
        prices = np.ones(len(right))
        prices[: len(self.start) * len(self.identities.constants)] = 100.0
        answer = _minimise(
            np.concatenate([np.zeros(len(room)), prices, prices]),
            sparse.hstack([matrix, -matrix, slack, -slack]),
            right,
            np.concatenate([room, np.full(2 * len(right), np.inf)]),
        )
        if answer is None:
            raise RuntimeError("The linear program that identifies failing constraints was not solved.")
        over, under = np.split(answer[len(room) :], 2)
        return np.asarray(over + under)


def _minimise(costs: Floats, matrix: Any, right: Floats, room: Floats, integers: bool = False) -> Floats | None:
    """The x between 0 and `room` with matrix @ x = right and the least cost, or None."""
    solver: Any = optimize.linprog
    for options in (OPTIONS, {}, {"presolve": False}):  # rounding may make it infeasible at first; polished later
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
