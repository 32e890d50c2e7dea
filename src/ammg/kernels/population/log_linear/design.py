"""The information matrix of a log-linear model and its uses: leverages, standard errors, residual regressions.

The design matrix X is never formed: it has one row per cell, with ones in the few columns that belong to the cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit, jit_part
from ammg.kernels.population.log_linear.ipf import Generators, terms
from ammg.kernels.population.log_linear.layout import Layout

_RANK = 1e-9  # pivots below this share of the largest are redundant columns


class Columns(NamedTuple):
    """The positions of the ones in X.

    Cell `row * length + j` has, for each term t, the column `lookup[starts[t] + bases[t, row] + steps[t] * j]`; -1 if
    there is none: a reference category, no information, or redundant.
    """

    length: int
    bases: NDArray[np.int32]
    steps: NDArray[np.int64]
    starts: NDArray[np.int64]
    lookup: NDArray[np.int32]

    def room(self) -> NDArray[np.int64]:
        """Working memory for the columns of one cell."""
        return np.empty(self.steps.size, np.int64)


@dataclass(frozen=True)
class Design:
    """The columns of each cell, and the inverse of X' diag(μ) X on an independent set of them."""

    columns: Columns
    inverse: NDArray[np.float64]

    def leverages(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        """μ_k x_k' (X'MX)^-1 x_k of every cell; they add up to the number of parameters."""
        leverages = np.zeros(means.size)
        _leverages(means, self.columns, self.columns.room(), self.inverse, leverages)
        return leverages

    def project(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """X'v."""
        total = np.zeros(len(self.inverse))
        _project(values, self.columns, self.columns.room(), total)
        return total

    def expand(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """X beta."""
        values = np.zeros(self.columns.bases.shape[1] * self.columns.length)
        _expand(coefficients, self.columns, self.columns.room(), values)
        return values


def design(layout: Layout, generators: Generators, means: NDArray[np.float64]) -> Design:
    """Prepare a model with fitted sample means μ.

    Columns are dummies of all terms of the hierarchy without the most frequent category of each key; those whose cells
    all have μ = 0, and those that a pivoted Cholesky factorisation finds to depend on others, are left out. The
    column space, and so every leverage, stays the same.
    """
    from scipy.linalg import lapack

    reference = _most_frequent(layout, means)
    margins = [layout.margin(axes) for axes in terms(generators)]
    bases = np.stack([margin.bases for margin in margins])
    steps = np.array([margin.step for margin in margins], np.int64)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum([margin.size for margin in margins])])
    lookup = np.full(starts[-1], -1, np.int32)
    count = 0
    table = layout.unflatten(means)
    for margin, start in zip(margins, starts, strict=False):
        others = tuple(axis for axis in range(len(layout.shape)) if axis not in margin.axes)
        kept = [axis for axis in layout.order if axis in margin.axes]
        sums = np.transpose(table.sum(axis=others), [sorted(kept).index(axis) for axis in kept])
        used = sums > 0
        for place, axis in enumerate(kept):
            used &= np.expand_dims(np.arange(layout.shape[axis]) != reference[axis], _all_but(place, len(kept)))
        found = np.flatnonzero(used.ravel())
        lookup[start + found] = np.arange(count, count + found.size)
        count += found.size
    columns = Columns(layout.length, bases, steps, starts, lookup)
    information = np.zeros((count, count))
    _information(means, columns, columns.room(), information)
    factor, pivots, rank, _ = lapack.dpstrf(information, tol=_RANK * float(information.diagonal().max()), lower=1)
    inverse, _ = lapack.dpotri(factor[:rank, :rank], lower=1)
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    renumber = np.full(count + 1, -1, np.int32)
    renumber[pivots[:rank] - 1] = np.arange(rank)
    return Design(columns._replace(lookup=renumber[lookup]), np.ascontiguousarray(inverse))


def _most_frequent(layout: Layout, means: NDArray[np.float64]) -> list[int]:
    table = layout.unflatten(means)
    axes = range(len(layout.shape))
    return [int(np.argmax(table.sum(axis=tuple(other for other in axes if other != axis)))) for axis in axes]


def _all_but(place: int, dimensions: int) -> tuple[int, ...]:
    return tuple(axis for axis in range(dimensions) if axis != place)


@jit_part
def _find_columns(cell: int, columns: Columns, mine: NDArray[np.int64]) -> int:
    """Write the columns of a cell to `mine` and return their number."""
    row, j = cell // columns.length, cell % columns.length
    found = 0
    for t in range(columns.steps.size):
        column = columns.lookup[columns.starts[t] + columns.bases[t, row] + columns.steps[t] * j]
        if column >= 0:
            mine[found] = column
            found += 1
    return found


@jit
def _information(
    means: NDArray[np.float64], columns: Columns, mine: NDArray[np.int64], total: NDArray[np.float64]
) -> None:
    for k in range(means.size):
        if means[k] > 0.0:
            for a in range(_find_columns(k, columns, mine)):
                for b in range(a + 1):
                    total[mine[a], mine[b]] += means[k]
    for a in range(len(total)):
        for b in range(a):
            value = total[a, b] + total[b, a]  # each pair was added on one side only
            total[a, b] = value
            total[b, a] = value


@jit
def _leverages(
    means: NDArray[np.float64],
    columns: Columns,
    mine: NDArray[np.int64],
    inverse: NDArray[np.float64],
    leverages: NDArray[np.float64],
) -> None:
    for k in range(means.size):
        if means[k] > 0.0:
            form = 0.0
            for a in range(_find_columns(k, columns, mine)):
                form += inverse[mine[a], mine[a]]
                for b in range(a):
                    form += 2.0 * inverse[mine[a], mine[b]]
            leverages[k] = means[k] * form


@jit
def _project(
    values: NDArray[np.float64], columns: Columns, mine: NDArray[np.int64], total: NDArray[np.float64]
) -> None:
    for k in range(values.size):
        if values[k] != 0.0:
            for a in range(_find_columns(k, columns, mine)):
                total[mine[a]] += values[k]


@jit
def _expand(
    coefficients: NDArray[np.float64], columns: Columns, mine: NDArray[np.int64], values: NDArray[np.float64]
) -> None:
    for k in range(values.size):
        for a in range(_find_columns(k, columns, mine)):
            values[k] += coefficients[mine[a]]
