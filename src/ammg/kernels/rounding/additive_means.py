"""Restore identities together with (weighted) means of columns, which couple all records."""

from __future__ import annotations

import numpy as np

from ammg.kernels.rounding.additive_program import AdditiveProgram
from ammg.kernels.rounding.restore_additivity import Floats, Identities, Infeasible, restore_additivity


def restore_with_means(
    values: Floats,
    identities: Identities,
    costs: Floats,
    lower: Floats,
    upper: Floats,
    means: Floats,
    weights: Floats | None = None,
    *,
    firm: bool = True,
) -> Floats:
    """Records that satisfy the identities and whose columns have these (weighted) means, at the least cost.

    A mean that is NaN is free. Means that are not firm are met as closely as the records allow.

    Raises:
        Infeasible: a record has no solution, or the mean of a column is impossible within the bounds, or the means
            themselves break an identity, which is no record's fault.
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
            result[:, columns] = AdditiveProgram(*part, means[columns], masses).solve(firm=firm)
        except Infeasible as failure:
            identity = None if failure.identity is None else int(rows[failure.identity])
            column = None if failure.column is None else int(columns[failure.column])
            raise Infeasible(identity, failure.records, column) from None
    return result


def additive_means(
    values: Floats, identities: Identities, costs: Floats, lower: Floats, upper: Floats, weights: Floats
) -> Floats:
    """The weighted means of the columns, changed as little as possible so that the identities hold for them.

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
        restore_additivity(start, identities, costs, lower, upper)  # reports records that fail whatever the means
        raise Infeasible(failure.identity, np.arange(0)) from None


def _mean_bounds(lower: Floats, upper: Floats, masses: Floats) -> tuple[Floats, Floats]:
    counted = masses > 0  # zero weight times an infinite bound would be NaN
    floor, ceiling = (np.average(bound[counted], axis=0, weights=masses[counted]) for bound in (lower, upper))
    return floor, ceiling
