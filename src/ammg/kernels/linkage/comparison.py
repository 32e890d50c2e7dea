"""The comparison of two files field by field, encoded so that every agreement weight is a clipped line.

Fellegi and Sunter (1969) give a pair of records the weight sum_j w_j, where w_j runs between full agreement
ln(m_j / u_j) and full disagreement ln((1 - m_j) / (1 - u_j)). For numbers Yancey, Winkler and Creecy (2002) interpolate
linearly in the distance ratio q until it reaches a tolerance t:

    w = max(w_agree - (w_agree - w_disagree) q / t, w_disagree)

with q = |a - b| / max(|a|, 0.1) (d metric) or |ln a - ln b| / max(|ln a|, 0.1) (l metric), a original, b masked. All of
them, and the equality of categories, are |a' - b'| / reach for suitably encoded a', b', which are stored here.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Metric = Literal["d", "l", "asinh", "equal"]

FLOOR = 0.1  # least denominator of both metrics (Yancey, Winkler and Creecy 2002)
SIGN_OFFSET = 4096.0  # exceeds any difference of logarithms of doubles, so that opposite signs are never close
EQUAL_REACH = 1e-9  # of codes, which differ by 1 or not at all


class Comparison(NamedTuple):
    """Two files encoded for comparison: fields agree fully at gap 0 and disagree fully at gap >= tolerance × reach."""

    original: Floats  # n_A × m encoded values, NaN for missing
    masked: Floats  # n_B × m
    reach: Floats  # n_A × m: the gap at which the distance ratio q is 1
    tolerance: Floats  # m


class FieldWeights(NamedTuple):
    """Weights of full agreement (one per field, or one per original value) and full disagreement (per field)."""

    agree: Floats  # m, or n_A × m
    disagree: Floats  # m


def compare(original: Floats, masked: Floats, metrics: list[Metric], tolerance: float | Floats = 0.2) -> Comparison:
    """Encode two files for comparison, with one metric per column.

    `d` and `l` as above, `equal` for codes, `asinh` as `l` with arcsinh in place of ln, which also takes zeros and
    negative values. Where a logarithm does not exist, the l metric uses signs: values of opposite sign disagree, two
    zeros agree, two negative values are compared by their absolute values.
    """
    m = original.shape[1]
    left, right, reach = np.empty(original.shape), np.empty(masked.shape), np.empty(original.shape)
    for j, metric in enumerate(metrics):
        left[:, j], right[:, j] = _encode(original[:, j], metric), _encode(masked[:, j], metric)
        if metric == "equal":
            reach[:, j] = EQUAL_REACH
        elif metric == "l":
            reach[:, j] = np.maximum(np.abs(_log(original[:, j])), FLOOR)
        else:
            reach[:, j] = np.maximum(np.abs(left[:, j]), FLOOR)
    return Comparison(left, right, reach, np.broadcast_to(np.asarray(tolerance, dtype=np.float64), (m,)).copy())


def _encode(values: Floats, metric: Metric) -> Floats:
    if metric == "l":
        return np.asarray(_log(values) + SIGN_OFFSET * np.sign(values))
    return np.asarray(np.arcsinh(values)) if metric == "asinh" else values


def _log(values: Floats) -> Floats:
    """ln|x|, and 0 at 0, where only the sign matters."""
    size = np.abs(values)
    return np.log(size, where=(size > 0) | np.isnan(size), out=np.zeros(values.shape))


def agreement_shares(comparison: Comparison, tolerance: float = 0.05) -> Floats:
    """The share of masked records that agree (q <= tolerance) with each original value: n_A × m, NaN for missing.

    Computed exactly by sorting, without forming pairs. Column means are the overall agreement rates u_j.
    """
    shares = np.full(comparison.original.shape, np.nan)
    for j in range(len(comparison.tolerance)):
        others = np.sort(comparison.masked[:, j])
        others = others[: len(others) - np.count_nonzero(np.isnan(others))]
        values = comparison.original[:, j]
        seen = ~np.isnan(values)
        gap = tolerance * comparison.reach[seen, j]
        above = np.searchsorted(others, values[seen] + gap, side="right")
        below = np.searchsorted(others, values[seen] - gap, side="left")
        shares[seen, j] = (above - below) / max(len(others), 1)
    return shares


def agreement(comparison: Comparison, rows: NDArray[np.int64], links: NDArray[np.int64], tolerance: float) -> Floats:
    """1 where the fields of masked `rows` agree with those of their linked originals, 0 where not, NaN for missing."""
    gap = np.abs(comparison.original[links] - comparison.masked[rows])
    agree = (gap <= tolerance * comparison.reach[links]).astype(np.float64)
    return np.where(np.isnan(gap), np.nan, agree)
