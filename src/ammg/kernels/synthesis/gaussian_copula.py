"""A Gaussian copula in which the values, not only the ranks, have the correlations of a file."""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.orders import dense_ranks
from ammg.kernels.psd import nearest_psd, psd_factor
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Booleans = NDArray[np.bool_]

TERMS = 40
"""Number of Hermite polynomials in the expansion of a column's values."""
MOST = 100
"""Most columns for which inconsistent correlations are fitted; for more, they are only made positive semi-definite."""
_BLOCK = 1 << 16
"""Values whose polynomials fit into the processor's cache."""
ROUNDS = 60
"""Bisections for a correlation: one per relevant bit."""


class LatentLaw(NamedTuple):
    """Standard normal columns behind those of a file; some are shared by all members of a household."""

    shared: Floats
    """Root of the correlations of the columns drawn once per household."""
    given: Floats
    """Regression of the other columns on these."""
    own: Floats
    """Root of the residual covariance of the regression."""

    def draw(self, units: Ints, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Normal numbers for each household, and for each member; `units` is the household of each member."""
        common = rng.standard_normal((int(units.max(initial=-1)) + 1, len(self.shared))) @ self.shared.T
        own = rng.standard_normal((len(units), len(self.own))) @ self.own.T
        return common, common[units] @ self.given.T + own


def latent_law(correlation: Floats, shared: Booleans) -> LatentLaw:
    """The distribution of normal columns with these correlations, some of them shared by all members of a household."""
    ours = nearest_psd(correlation)
    within, across = ours[np.ix_(shared, shared)], ours[np.ix_(~shared, shared)]
    given = across @ np.linalg.pinv(within, hermitian=True) if shared.any() else across
    left = ours[np.ix_(~shared, ~shared)] - given @ across.T
    return LatentLaw(_root(within), given, _root((left + left.T) / 2))


def _root(matrix: Floats) -> Floats:
    if not len(matrix):
        return np.zeros((0, 0))
    np.fill_diagonal(matrix, np.maximum(matrix.diagonal(), 0.0))
    return psd_factor(nearest_psd(matrix))


def latent_correlation(columns: list[Floats], groups: list[Ints], scored: Booleans) -> Floats:
    """Correlations of the normal columns for which values drawn by their margins correlate as in the file.

    Each column has its margin within its own `groups`. A `scored` column has no values to correlate (only the order of
    its categories counts): its normal scores are used instead. A correlation ρ of two normal columns gives the
    correlation Σ_k a_k b_k ρ^k between values with Hermite coefficients a and b. It increases in ρ, so the wanted ρ is
    found by bisection (NORTA, Cario and Nelson 1997). Values may be missing (NaN).
    """
    size, numbers = len(columns), sum(map(len, columns))
    single = Lock()
    expanded = in_threads(lambda j: _expanded(columns[j], groups[j], bool(scored[j]), single), range(size), numbers)
    wanted, products = np.eye(size), np.zeros((size, size, TERMS))

    def relate(pair: tuple[int, int]) -> None:
        i, j = pair
        (left, left_series), (right, right_series) = expanded[i], expanded[j]
        both = ~np.isnan(left) & ~np.isnan(right)
        if not both.any():
            return
        rows = slice(None) if both.all() else both
        wanted[i, j] = wanted[j, i] = np.mean(left[rows] * right[rows])
        products[i, j] = products[j, i] = _mean_products(left_series, groups[i][rows], right_series, groups[j][rows])

    in_threads(relate, [(i, j) for i in range(size) for j in range(i)], numbers * size)
    found = _solved(wanted, products)
    np.fill_diagonal(found, 1.0)
    return found if size > MOST or _is_proper(found) else _fitted(found, wanted, products)


def _is_proper(correlation: Floats) -> bool:
    return bool(np.linalg.eigvalsh(correlation)[0] > -1e-10)


def _fitted(start: Floats, wanted: Floats, products: Floats) -> Floats:
    """The valid correlations whose values correlate most closely as wanted, if no normal columns do so exactly.

    Differences are weighted by the standard error 1 - r² of a correlation r, so that columns that nearly determine each
    other do not give way to make others exact.
    """
    from scipy.optimize import minimize

    size = len(start)
    below = np.tril_indices(size, -1)
    terms, goal = products[below], wanted[below]
    weight = np.where(terms.any(axis=1), 1 / np.maximum(1 - goal**2, 0.01), 0.0)

    def loss(flat: Floats) -> tuple[float, Floats]:
        rows = flat.reshape(size, size)
        length = np.sqrt((rows**2).sum(axis=1, keepdims=True))
        unit = rows / length
        rho = (unit @ unit.T)[below]
        made, slope = np.zeros_like(rho), np.zeros_like(rho)
        for k in range(TERMS - 1, -1, -1):
            slope = slope * rho + (k + 1) * terms[:, k]
            made = (made + terms[:, k]) * rho
        apart = weight * (made - goal)
        by_rho = np.zeros((size, size))
        by_rho[below] = 2 * apart * weight * slope
        by_unit = (by_rho + by_rho.T) @ unit
        by_row = (by_unit - (by_unit * unit).sum(axis=1, keepdims=True) * unit) / length
        return float(apart @ apart), by_row.ravel()

    rows = psd_factor(nearest_psd(start))
    found = minimize(loss, rows.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    rows = found.x.reshape(size, size)
    unit = rows / np.sqrt((rows**2).sum(axis=1, keepdims=True))
    correlation = np.asarray(unit @ unit.T)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def _expanded(column: Floats, group: Ints, by_score: bool, single: Lock) -> tuple[Floats, Floats]:
    """Values with mean 0 and variance 1 within groups, and their Hermite coefficients in each group.

    The polynomials need much memory, so only one thread at a time, which holds the lock, has them.
    """
    standard = np.full(len(column), np.nan)
    coefficients = np.zeros((int(group.max(initial=-1)) + 1, TERMS))
    for number in range(len(coefficients)):
        rows = np.flatnonzero((group == number) & ~np.isnan(column))
        place = dense_ranks(column[rows])
        counts = np.bincount(place)
        distinct = np.empty(len(counts))
        distinct[place] = column[rows]
        if len(distinct) < 2:
            standard[rows] = 0.0
            continue
        with single:
            steps = _steps(counts)
            numbers = steps[0] * len(rows) / counts if by_score else distinct
            numbers = numbers - np.average(numbers, weights=counts)
            numbers = numbers / max(np.abs(numbers).max(), np.finfo(float).tiny)
            numbers = numbers / np.sqrt(np.average(numbers**2, weights=counts))
            coefficients[number] = steps @ numbers
            del steps
        standard[rows] = numbers[place]
    return standard, coefficients


def _mean_products(left: Floats, left_group: Ints, right: Floats, right_group: Ints) -> Floats:
    """Products of the coefficients of two columns, averaged over the records of all pairs of groups."""
    shares = np.ones((1, 1))
    if len(left) * len(right) > 1:
        together = np.bincount(left_group * len(right) + right_group, minlength=len(left) * len(right))
        shares = together.reshape(len(left), len(right)) / len(left_group)
    return np.asarray(np.einsum("ik,ij,jk->k", left, shares, right))


def _steps(counts: Ints) -> Floats:
    """∫ h_k φ over the range of each value, for the normalised Hermite polynomials h_1 … h_K; rows are k."""
    from scipy.special import ndtri

    shares = np.cumsum(counts)[:-1] / counts.sum()
    steps = np.empty((TERMS, len(counts)))

    def fill(start: int, stop: int) -> None:
        inner = ndtri(shares[max(start - 1, 0) : stop])
        density = np.exp(-0.5 * inner**2) / np.sqrt(2 * np.pi)
        ends = np.zeros(stop - start + 1)  # zero below the first value and above the last
        inside = ends[int(start == 0) :][: len(inner)]
        before, polynomial = np.zeros_like(inner), np.ones_like(inner)
        for k in range(1, TERMS + 1):
            np.divide(polynomial * density, np.sqrt(k), out=inside)
            np.subtract(ends[:-1], ends[1:], out=steps[k - 1, start:stop])
            before, polynomial = polynomial, (inner * polynomial - np.sqrt(k - 1) * before) / np.sqrt(k)

    over_blocks(fill, len(counts), block=_BLOCK, brief=True)
    return steps


def _solved(wanted: Floats, products: Floats) -> Floats:
    """The ρ of each pair with Σ_k products_k ρ^k = wanted; the nearest end if no ρ reaches it."""
    low, high = np.full(wanted.shape, -1.0), np.ones(wanted.shape)
    for _ in range(ROUNDS):
        middle = (low + high) / 2
        made = np.zeros(wanted.shape)
        for k in range(TERMS - 1, -1, -1):
            made = (made + products[..., k]) * middle
        below = made < wanted
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(np.where(products.any(axis=-1), (low + high) / 2, 0.0))
