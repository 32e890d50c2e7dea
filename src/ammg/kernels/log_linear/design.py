"""The information matrix of a log-linear model and what needs it: leverages, standard errors, residual regressions.

The design matrix X is never formed: it has one row per cell, with ones in the few columns that belong to the cell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit
from ammg.kernels.log_linear.ipf import Generators, terms
from ammg.kernels.log_linear.layout import Layout

_RANK = 1e-9  # pivots below this share of the largest are redundant columns


@dataclass(frozen=True)
class Design:
    """The columns of each cell, and the inverse of X' diag(μ) X on an independent set of them.

    Cell `row * length + j` has, for each term t, the column `lookup[starts[t] + bases[t, row] + steps[t] * j]`; -1 if
    none: a reference category, no information, or redundant.
    """

    length: int
    bases: NDArray[np.int32]
    steps: NDArray[np.int64]
    starts: NDArray[np.int64]
    lookup: NDArray[np.int32]
    inverse: NDArray[np.float64]

    def leverages(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        """μ_k x_k' (X'MX)^-1 x_k of every cell; they add up to the number of parameters."""
        return _leverages(means, self.length, self.bases, self.steps, self.starts, self.lookup, self.inverse)

    def project(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """X'v."""
        return _project(values, self.length, self.bases, self.steps, self.starts, self.lookup, self.inverse.shape[0])

    def expand(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """X beta."""
        return _expand(coefficients, self.length, self.bases, self.steps, self.starts, self.lookup)


def design(layout: Layout, generators: Generators, means: NDArray[np.float64]) -> Design:
    """Prepare a model with fitted sample means μ.

    Columns are dummies of all terms of the hierarchy without the most frequent category of each key; those whose cells
    all have μ = 0, and those that a pivoted Cholesky factorisation finds to depend on others, are left out. The
    column space, and with it every leverage, stays the same.
    """
    from scipy.linalg import lapack

    reference = _most_frequent(layout, means)
    margins = [layout.margin(axes) for axes in terms(generators)]
    bases = np.stack([margin.bases for margin in margins])
    steps = np.array([margin.step for margin in margins], np.int64)
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum([margin.size for margin in margins])])
    lookup = np.full(starts[-1], -1, np.int32)
    columns = 0
    table = layout.unflatten(means)
    for margin, start in zip(margins, starts, strict=False):
        others = tuple(axis for axis in range(len(layout.shape)) if axis not in margin.axes)
        kept = [axis for axis in layout.order if axis in margin.axes]
        sums = np.transpose(table.sum(axis=others), [sorted(kept).index(axis) for axis in kept])
        used = sums > 0
        for place, axis in enumerate(kept):
            used &= np.expand_dims(np.arange(layout.shape[axis]) != reference[axis], _all_but(place, len(kept)))
        found = np.flatnonzero(used.ravel())
        lookup[start + found] = np.arange(columns, columns + found.size)
        columns += found.size
    information = _information(means, layout.length, bases, steps, starts, lookup, columns)
    factor, pivots, rank, _ = lapack.dpstrf(information, tol=_RANK * float(information.diagonal().max()), lower=1)
    inverse, _ = lapack.dpotri(factor[:rank, :rank], lower=1)
    inverse = np.tril(inverse) + np.tril(inverse, -1).T
    renumber = np.full(columns + 1, -1, np.int32)
    renumber[pivots[:rank] - 1] = np.arange(rank)
    return Design(layout.length, bases, steps, starts, renumber[lookup], np.ascontiguousarray(inverse))


def _most_frequent(layout: Layout, means: NDArray[np.float64]) -> list[int]:
    table = layout.unflatten(means)
    axes = range(len(layout.shape))
    return [int(np.argmax(table.sum(axis=tuple(other for other in axes if other != axis)))) for axis in axes]


def _all_but(place: int, dimensions: int) -> tuple[int, ...]:
    return tuple(axis for axis in range(dimensions) if axis != place)


@jit
def _columns(
    row: int,
    j: int,
    bases: NDArray[np.int32],
    steps: NDArray[np.int64],
    starts: NDArray[np.int64],
    lookup: NDArray[np.int32],
    out: NDArray[np.int64],
) -> int:
    """Write the columns of a cell to `out` and return how many there are."""
    found = 0
    for t in range(steps.size):
        column = lookup[starts[t] + bases[t, row] + steps[t] * j]
        if column >= 0:
            out[found] = column
            found += 1
    return found


@jit
def _information(
    means: NDArray[np.float64],
    length: int,
    bases: NDArray[np.int32],
    steps: NDArray[np.int64],
    starts: NDArray[np.int64],
    lookup: NDArray[np.int32],
    columns: int,
) -> NDArray[np.float64]:
    total = np.zeros((columns, columns))
    mine = np.empty(steps.size, np.int64)
    for k in range(means.size):
        if means[k] > 0.0:
            found = _columns(k // length, k % length, bases, steps, starts, lookup, mine)
            for a in range(found):
                for b in range(a + 1):
                    total[mine[a], mine[b]] += means[k]
    for a in range(columns):
        for b in range(a):
            value = total[a, b] + total[b, a]  # each pair was added on one side only
            total[a, b] = value
            total[b, a] = value
    return total


@jit
def _leverages(
    means: NDArray[np.float64],
    length: int,
    bases: NDArray[np.int32],
    steps: NDArray[np.int64],
    starts: NDArray[np.int64],
    lookup: NDArray[np.int32],
    inverse: NDArray[np.float64],
) -> NDArray[np.float64]:
    leverages = np.zeros(means.size)
    mine = np.empty(steps.size, np.int64)
    for k in range(means.size):
        if means[k] > 0.0:
            found = _columns(k // length, k % length, bases, steps, starts, lookup, mine)
            form = 0.0
            for a in range(found):
                form += inverse[mine[a], mine[a]]
                for b in range(a):
                    form += 2.0 * inverse[mine[a], mine[b]]
            leverages[k] = means[k] * form
    return leverages


@jit
def _project(
    values: NDArray[np.float64],
    length: int,
    bases: NDArray[np.int32],
    steps: NDArray[np.int64],
    starts: NDArray[np.int64],
    lookup: NDArray[np.int32],
    columns: int,
) -> NDArray[np.float64]:
    total = np.zeros(columns)
    mine = np.empty(steps.size, np.int64)
    for k in range(values.size):
        if values[k] != 0.0:
            found = _columns(k // length, k % length, bases, steps, starts, lookup, mine)
            for a in range(found):
                total[mine[a]] += values[k]
    return total


@jit
def _expand(
    coefficients: NDArray[np.float64],
    length: int,
    bases: NDArray[np.int32],
    steps: NDArray[np.int64],
    starts: NDArray[np.int64],
    lookup: NDArray[np.int32],
) -> NDArray[np.float64]:
    values = np.zeros(bases.shape[1] * length)
    mine = np.empty(steps.size, np.int64)
    for k in range(values.size):
        found = _columns(k // length, k % length, bases, steps, starts, lookup, mine)
        for a in range(found):
            values[k] += coefficients[mine[a]]
    return values
