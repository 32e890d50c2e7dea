"""Noise that restores the covariance lost by replacing records by their group means.

Group means lack S = Σ w d d', with d the deviations of records from their group's mean. Noise centred within groups has
no covariance with the means and keeps their (weighted) totals. If it is drawn with the covariance S / Σ_g c_g, where
c_g = Σw - Σw²/Σw is what centring leaves of group g (without weights, its size minus one), it restores S in
expectation. It lies in the range of S, so linear identities are kept. Source: Shlomo's overview of disclosure control
methods, microaggregation with noise.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.psd import psd_factor, psd_rank

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def group_noise(
    deviations: Floats,
    group: Integers,
    rng: np.random.Generator,
    *,
    pooled: bool = True,
    exact: bool = False,
    weights: Floats | None = None,
) -> Floats:
    """Noise for each record and column, centred within groups; zero where the deviation is missing.

    Its covariance is that of all deviations (`pooled`), or that of the group's own, which is a poor estimate for few
    records and keeps tight groups tight. `exact` transforms it so that Σ w e e' = S up to rounding.

    Raises:
        ValueError: `exact` with missing values.
    """
    seen = ~np.isnan(deviations)
    filled = np.where(seen, deviations, 0.0)
    mass = np.ones(len(group)) if weights is None else weights
    masses = np.where(seen, mass[:, None], 0.0)
    left = _left_by_centring(masses, group)
    if pooled:
        total = left.sum(axis=0)
        inverse = np.sqrt(np.divide(1.0, total, out=np.zeros_like(total), where=total > 0))
        factor = psd_factor((filled * masses).T @ filled * np.outer(inverse, inverse))
        noise = rng.normal(size=deviations.shape) @ factor.T
    else:
        inverse = np.sqrt(np.divide(1.0, left, out=np.zeros_like(left), where=left > 0))
        noise = _combined(filled * np.sqrt(masses) * inverse[group], group, rng)
    noise = np.where(seen, _centred(noise, masses, seen, group), 0.0)
    if exact:
        if not seen.all():
            raise ValueError("Exact covariances need complete records: some values are missing.")
        return _turned(noise, filled, mass)
    return noise


def _turned(noise: Floats, deviations: Floats, mass: Floats) -> Floats:
    """Transform the noise linearly so that it has the cross-products of the deviations."""
    scale = np.sqrt((deviations**2 * mass[:, None]).sum(axis=0))
    unit = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > 0)
    wanted, drawn = ((rows * unit * mass[:, None]).T @ (rows * unit) for rows in (deviations, noise))
    rank = psd_rank(wanted)  # also that of the noise: both span all deviations from group means
    target, source = psd_factor(wanted)[:, :rank], psd_factor(drawn)[:, :rank]
    return np.asarray((noise * unit) @ np.linalg.pinv(source).T @ target.T * scale)


def _combined(rows: Floats, group: Integers, rng: np.random.Generator) -> Floats:
    """Random combinations of the rows of a record's own group."""
    sizes = np.bincount(group)
    order = np.argsort(group, kind="stable")
    first = np.cumsum(sizes) - sizes
    noise = np.zeros_like(rows)
    for place in range(int(sizes.max(initial=0))):
        member = np.minimum(first + place, len(order) - 1)[group]
        factors = np.where(sizes[group] > place, rng.normal(size=len(group)), 0.0)
        noise += factors[:, None] * rows[order[member]]
    return noise


def _left_by_centring(masses: Floats, group: Integers) -> Floats:
    """c = Σw - Σw²/Σw of each group and column."""
    total, squares = _sums(masses, group), _sums(masses**2, group)
    return np.asarray(np.maximum(total - np.divide(squares, total, out=np.zeros_like(total), where=total > 0), 0.0))


def _centred(noise: Floats, masses: Floats, seen: NDArray[np.bool_], group: Integers) -> Floats:
    """Noise less its (weighted) mean in the group; a group without weight has its plain mean."""
    weighty = _sums(masses, group) > 0
    masses = np.where(weighty[group], masses, seen)
    total = _sums(masses, group)
    means = np.divide(_sums(noise * masses, group), total, out=np.zeros_like(total), where=total > 0)
    return np.asarray(noise - means[group])


def _sums(values: Floats, group: Integers) -> Floats:
    columns = [np.bincount(group, weights=values[:, j]) for j in range(values.shape[1])]
    return np.column_stack(columns)
