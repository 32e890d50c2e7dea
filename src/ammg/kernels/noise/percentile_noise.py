"""Noise within percentile groups that keeps every group's mean and variance.

z' = μ + d₁ (z - μ) + d₂ e with d₂ = δ, d₁² + d₂² = 1 and e of mean zero and the group's variance: the same as Shlomo's
z' = d₁ z + d₂ e', E e' = μ (1 - d₁)/d₂, and defined for δ → 0 as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.noise.exact_noise import exact_correlated
from ammg.kernels.orders import lexical_order, stable_order
from ammg.kernels.pairwise import pairwise_moments
from ammg.kernels.psd import nearest_psd, psd_factor, psd_rank
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]


class Groups(NamedTuple):
    """Group labels 0, 1, ... in ascending order of value, and the number of groups merged to reach the least size."""

    labels: Labels
    merged: int


def percentile_groups(
    values: Floats, count: int, least: int = 10, ties: Floats | None = None, own_zeros: bool = False
) -> Groups:
    """Cut values into `count` groups of nearly equal size by rank; neighbours merge until each has `least` members.

    Equal values share a group unless `ties`, a random key per value, breaks ties. `own_zeros` puts zeros into a group
    of their own, the last, whatever its size: it has no variance, so its values stay.
    """
    if np.isnan(values).any():
        raise ValueError("Percentile groups need observed values.")
    if own_zeros and (values == 0).any():
        other = values != 0
        labels = np.zeros(len(values), dtype=np.intp)
        if not other.any():
            return Groups(labels, 0)
        inner = percentile_groups(values[other], count, least, None if ties is None else ties[other])
        labels[other] = inner.labels
        labels[~other] = inner.labels.max() + 1
        return Groups(labels, inner.merged)
    if len(values) < least:
        raise ValueError(f"{len(values)} values do not fill one group of at least {least}.")
    order = stable_order(values) if ties is None else lexical_order([values, ties], len(values))[0]
    position = np.arange(len(values))
    if ties is None:
        ranked = values[order]
        fresh = np.r_[True, ranked[1:] != ranked[:-1]]
        position = np.maximum.accumulate(np.where(fresh, position, 0))
    sizes = np.bincount(position * count // max(len(values), 1), minlength=count)
    target = _merge_small(sizes, least)
    labels = np.empty(len(values), dtype=np.intp)
    labels[order] = target[position * count // max(len(values), 1)]
    return Groups(labels, int(np.count_nonzero(sizes) - (target.max(initial=-1) + 1)))


def perturb_in_groups(
    values: Floats,
    labels: Labels,
    delta: float,
    variates: Floats,
    exact: bool = True,
    weights: Floats | None = None,
) -> Floats:
    """Perturb one variable within its groups; with `exact`, group means and variances are kept up to rounding.

    Groups with fewer than three records of positive weight are kept in expectation only. Records of zero weight do not
    affect what is kept, and get noise of the same size.
    """
    _check_delta(delta)
    weight = np.ones(len(values)) if weights is None else weights
    if weights is not None:  # a group with fewer than two positive weights has no weighted variance
        weight = np.where((np.bincount(labels, weights > 0) >= 2)[labels], weights, 1.0)
    total = np.bincount(labels, weight)
    squares = np.bincount(labels, weight**2)

    def group_mean(column: Floats) -> Floats:
        return np.bincount(labels, weight * column) / np.where(total > 0, total, 1.0)

    means = group_mean(values)
    centred = values - means[labels]
    energy = group_mean(centred**2)
    correction = 1.0 - squares / np.where(total > 0, total, 1.0) ** 2  # from mean square to the divisor n - 1
    variances = np.divide(energy, correction, out=np.zeros_like(energy), where=correction > 0)
    error = variates
    if exact:
        enough = np.bincount(labels, weight > 0) >= 3
        for _ in range(2):
            error = error - np.where(enough, group_mean(error), 0.0)[labels]
            share = np.divide(group_mean(error * centred), energy, out=np.zeros_like(energy), where=energy > 0)
            error = error - np.where(enough, share, 0.0)[labels] * centred
        spread = np.where(enough, group_mean(error**2), correction)
        error = error * np.sqrt(np.divide(correction, spread, out=np.ones_like(spread), where=spread > 0))[labels]
        error = np.where(weight > 0, error, variates)
    keep, change = np.sqrt(1.0 - delta**2), delta
    masked = means[labels] + keep * centred + change * np.sqrt(variances)[labels] * error
    return np.where(_constant_groups(values, labels)[labels], values, masked)


def perturb_records_in_groups(
    records: Floats,
    labels: Labels,
    delta: float,
    variates: Floats,
    exact: bool = True,
    weights: Floats | None = None,
) -> tuple[Floats, Labels]:
    """Perturb several variables together within groups; linear identities, such as parts and their sum, are kept.

    Noise is drawn in the range of each group's covariance, with the same d₁ and d₂ for all variables, so A v = 0
    implies A v' = 0. Missing values stay missing. Returns the masked records and the labels of the groups whose moments
    are kept in expectation only: those with too few records of positive weight, and those with missing values.
    """
    _check_delta(delta)
    masked = records.copy()
    keep = np.sqrt(1.0 - delta**2)

    def perturb(rows: Labels) -> bool:
        """Write the masked records of a group; returns whether its moments are kept exactly."""
        if len(rows) < 2:
            return False
        part, part_weights = records[rows], None if weights is None else weights[rows]
        if part_weights is not None and np.count_nonzero(part_weights) < 2:
            part_weights = None  # with fewer than two positive weights there is no weighted variance
        moments = pairwise_moments(part, part_weights)
        incomplete = bool(np.isnan(part).any())
        cov = nearest_psd(np.nan_to_num(moments.cov)) if incomplete else moments.cov
        error = variates[rows] @ psd_factor(cov).T
        counting = np.ones(len(rows), dtype=bool) if part_weights is None else part_weights > 0
        is_exact = exact and not incomplete and np.count_nonzero(counting) - 1 >= psd_rank(cov) + part.shape[1]
        if is_exact:
            own = None if part_weights is None else part_weights[counting]
            error[counting] = exact_correlated(variates[rows[counting]], part[counting], weights=own)
        masked[rows] = moments.mean + keep * (part - moments.mean) + delta * error
        return is_exact

    order = stable_order(labels)
    starts = np.flatnonzero(np.diff(labels[order], prepend=labels[order[:1]] - 1))
    kept = in_threads(perturb, np.split(order, starts)[1:], records.size, brief=False)
    return masked, labels[order[starts]][~np.array(kept, dtype=bool)]


def _constant_groups(values: Floats, labels: Labels) -> NDArray[np.bool_]:
    """Which groups have a single value: rounding in their mean must not change it."""
    size = int(labels.max(initial=-1)) + 1
    least, most = np.full(size, np.inf), np.full(size, -np.inf)
    np.minimum.at(least, labels, values)
    np.maximum.at(most, labels, values)
    return np.asarray(least == most)


def _merge_small(sizes: NDArray[np.intp], least: int) -> Labels:
    """Renumber the groups so that each has at least `least` members; a short remainder joins the last."""
    target = np.empty(len(sizes), dtype=np.intp)
    label, members = 0, 0
    for group, size in enumerate(sizes):
        target[group] = label
        members += int(size)
        if members >= least:
            label, members = label + 1, 0
    if members and label:
        target[target == label] = label - 1
    return np.minimum(target, max(label - 1, 0))


def _check_delta(delta: float) -> None:
    if not 0 <= delta <= 1:
        raise ValueError(f"delta, the share of noise, must lie between 0 and 1; it is {delta}.")
