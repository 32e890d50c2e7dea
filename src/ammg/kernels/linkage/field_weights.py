"""Sources of field weights: convention, the truth, earlier links, the values, or estimation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.linkage.agreement_patterns import count_patterns
from ammg.kernels.linkage.comparison import Comparison, FieldWeights, agreement, agreement_shares
from ammg.kernels.linkage.linkage_em import EDGE, EmFit, fit_latent_classes, is_plausible

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Estimated(NamedTuple):
    """Weights by EM, or equal weights if EM did not find the matches."""

    weights: FieldWeights
    fit: EmFit
    used: str  # "em", "em-fixed-u" or "equal": the source of the weights


def equal_weights(fields: int, m: float = 0.9, u: float = 0.1) -> FieldWeights:
    """The same weight for all fields; the best one-to-one links then depend on the tolerance only."""
    return weights_of(np.full(fields, m), np.full(fields, u))


def weights_of(m: Floats, u: Floats) -> FieldWeights:
    """Weights ln(m/u) and ln((1-m)/(1-u)) of agreement probabilities among matches and among others."""
    return FieldWeights(np.log(m / u), np.log1p(-m) - np.log1p(-u))


def weights_of_links(comparison: Comparison, rows: Ints, links: Ints, tolerance: float = 0.05) -> FieldWeights:
    """Weights with m from linked pairs: true pairs for the best informed intruder, found pairs for iteration.

    u is the overall agreement rate of the two files.
    """
    m = _mean(agreement(comparison, rows, links, tolerance))
    return weights_of(m, overall_agreement(comparison, tolerance))


def overall_agreement(comparison: Comparison, tolerance: float = 0.05) -> Floats:
    """The agreement rate of each field over all pairs, exact and without forming pairs."""
    return _mean(agreement_shares(comparison, tolerance))


def value_specific_weights(comparison: Comparison, m: float = 0.9, tolerance: float = 0.05) -> FieldWeights:
    """Weights that count agreement on a rare value more (Newcombe et al. 1959): u is the value's own share.

    For numbers, it is the share of the masked file within the tolerance of the value.
    """
    shares = agreement_shares(comparison, tolerance)
    overall = np.minimum(_mean(shares), m)  # a field that agrees nearly everywhere carries no information
    own = np.clip(np.where(np.isnan(shares), overall, shares), 1 / max(len(comparison.masked), 2), m)
    return FieldWeights(np.log(m / own), np.log1p(-m) - np.log1p(-overall))


def estimate_weights(comparison: Comparison, *, fixed_u: bool = False, tolerance: float = 0.05) -> Estimated:
    """Weights by EM over all pairs; equal weights (see `used`) if EM found a class that cannot be the matches."""
    n_original, n_masked = len(comparison.original), len(comparison.masked)
    patterns = count_patterns(comparison, tolerance)
    fit = fit_latent_classes(patterns, 1.0 / max(n_original, n_masked, 2), fixed_u=fixed_u)
    if not is_plausible(fit, n_original, n_masked):
        return Estimated(equal_weights(len(fit.m)), fit, "equal")
    return Estimated(weights_of(fit.m, fit.u), fit, "em-fixed-u" if fixed_u else "em")


def _mean(values: Floats) -> Floats:
    seen = ~np.isnan(values)
    total = np.where(seen, values, 0.0).sum(axis=0)
    return np.asarray(np.clip(total / np.maximum(seen.sum(axis=0), 1), EDGE, 1 - EDGE))
