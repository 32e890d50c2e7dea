"""Linear regression with a covariate whose categories were changed at random."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ammg.data.published import Transition
from ammg.errors import InputError
from ammg.estimators.records import as_records, as_weights
from ammg.estimators.regression import Regression
from ammg.estimators.transitions import indicators

Floats = NDArray[np.float64]


def regression_on_changed(
    response: Any, released: Any, transition: Transition, regressors: Any = None, weights: Any = None
) -> Regression:
    """Regress a number on a randomly changed attribute and on other numbers, corrected for the changes.

    `released` is the changed column, `transition` what the method published. The first category is the reference:
    coefficients are the intercept, one for each other category, then those of the `regressors` (a matrix or table of
    numbers that were not masked). The estimating equations have the same expectation as those of the original file,
    because the square of a category's indicator is the indicator itself. Standard errors come from the variation of the
    equations and cover both the random changes and the residuals. Records with a missing value are left out.

    Raises:
        InputError: the matrix has no inverse, or the records do not determine the coefficients.
    """
    rows, known = indicators(released, transition)
    outcome = np.asarray(as_records(np.asarray(response, dtype=np.float64)[:, None]).values)[:, 0]
    if len(outcome) != len(rows):
        raise InputError(f"There are {len(outcome)} responses but {len(rows)} records: give one response per record.")
    others = np.empty((len(rows), 0)) if regressors is None else as_records(regressors).values
    if len(others) != len(rows):
        raise InputError(f"There are {len(others)} rows of regressors but {len(rows)} records: give one per record.")
    weight = as_weights(weights, len(rows))
    kept = known & ~np.isnan(outcome) & ~np.isnan(others).any(axis=1)
    share = np.ones(int(kept.sum())) if weight is None else weight[kept]
    return _solved(rows[kept], others[kept], outcome[kept], share / max(share.sum(), 1e-300))


def _solved(chances: Floats, others: Floats, outcome: Floats, share: Floats) -> Regression:
    n, dummies = len(outcome), chances[:, 1:]
    first = np.column_stack([np.ones(n), others])
    size, k = first.shape[1], dummies.shape[1]
    if n <= size + k:
        raise InputError(f"{n} complete records do not determine {size + k} coefficients.")
    # Products of indicators are diagonal and estimated by the chances; all other products are taken as they are.
    moments = np.zeros((size + k, size + k))
    moments[:size, :size] = (first * share[:, None]).T @ first
    moments[:size, size:] = (first * share[:, None]).T @ dummies
    moments[size:, :size] = moments[:size, size:].T
    moments[size:, size:] = np.diag(share @ dummies)
    right = np.r_[(first * share[:, None]).T @ outcome, (dummies * share[:, None]).T @ outcome]
    if np.linalg.cond(moments) > 1e12:
        raise InputError("The records do not determine the coefficients: a category is empty, or regressors repeat.")
    solution = np.linalg.solve(moments, right)

    base = first @ solution[:size]
    effects = solution[size:]
    residual = outcome - base - dummies @ effects
    equations = np.column_stack([first * residual[:, None], dummies * (outcome - base)[:, None] - dummies * effects])
    influence = (equations * share[:, None]) @ np.linalg.inv(moments).T
    covariance = influence.T @ influence * n / (n - size - k)
    order = [0, *range(size, size + k), *range(1, size)]
    return Regression(solution[order], covariance[np.ix_(order, order)])
