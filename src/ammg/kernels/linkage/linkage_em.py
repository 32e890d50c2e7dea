"""Estimate agreement probabilities of matches and non-matches without known matches.

The latent class model of Fellegi and Sunter (1969) under conditional independence, fitted by EM (Winkler 1988) on
pattern counts. For numeric files, the likelihood is often largest for a class other than the matches ("people of
similar income"). A class larger than the files allow reveals this, and callers must check `is_plausible`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.linkage.agreement_patterns import AGREE, DISAGREE, Patterns

Floats = NDArray[np.float64]

EDGE = 1e-6  # probabilities stay this far from 0 and 1
STARTS = ((0.9, 1.0), (0.99, 1.0), (0.7, 1.0), (0.95, 0.5), (0.5, 0.25))  # m, and u as a multiple of the overall rate
LARGEST_CLASS = 5.0  # matches per record of the larger file above which the class cannot be the matches


class EmFit(NamedTuple):
    """The fitted model."""

    m: Floats  # P(field agrees | match)
    u: Floats  # P(field agrees | no match)
    share: float  # of pairs that match, P(match)
    matches: float  # expected number of pairs in the class called matches
    log_likelihood: float
    iterations: int
    converged: bool


def fit_latent_classes(
    patterns: Patterns,
    share: float,
    *,
    fixed_share: bool = True,
    fixed_u: bool = False,
    most_iterations: int = 500,
    tolerance: float = 1e-7,
) -> EmFit:
    """Fit the two-class model from five starts and keep the fit of largest likelihood; m exceeds u on average.

    `share` is the initial P(match), 1 / max(n_A, n_B) for two files of the same people, and stays fixed unless
    `fixed_share` is False. `fixed_u` keeps u at the overall agreement rates.
    """
    agree = (patterns.states == AGREE).astype(np.float64)
    differ = (patterns.states == DISAGREE).astype(np.float64)
    counts = patterns.counts.astype(np.float64)
    overall = _rate(counts, agree, differ)

    def climb(m: Floats, u: Floats, share: float) -> EmFit:
        match, likelihood = _expect(agree, differ, counts, m, u, share)
        change, iterations = np.inf, 0
        while change >= tolerance and iterations < most_iterations:
            before = m, u, share
            m = _rate(counts * match, agree, differ)
            if not fixed_u:
                u = _rate(counts * (1 - match), agree, differ)
            if not fixed_share:
                share = float((counts * match).sum() / counts.sum())
            change = max(np.abs(m - before[0]).max(), np.abs(u - before[1]).max(), abs(share - before[2]))
            match, likelihood = _expect(agree, differ, counts, m, u, share)
            iterations += 1
        matches = float((counts * match).sum())
        if m.mean() < u.mean():
            m, u, share, matches = u, m, 1 - share, float(counts.sum()) - matches
        return EmFit(m, u, share, matches, likelihood, iterations, bool(change < tolerance))

    starts = STARTS if not fixed_u else [(m, 1.0) for m, _ in STARTS]
    fits = [climb(np.full(len(overall), m), np.clip(shrink * overall, EDGE, 1 - EDGE), share) for m, shrink in starts]
    return max(fits, key=lambda fit: fit.log_likelihood)


def is_plausible(fit: EmFit, n_original: int, n_masked: int) -> bool:
    """Whether the class called matches is small enough to consist of matches between files of these sizes."""
    return fit.matches <= LARGEST_CLASS * max(n_original, n_masked)


def _expect(agree: Floats, differ: Floats, counts: Floats, m: Floats, u: Floats, share: float) -> tuple[Floats, float]:
    """The probability that each pattern is a match, and the log-likelihood of the counts."""
    share = min(max(share, EDGE**2), 1 - EDGE**2)
    log_match = np.log(share) + agree @ np.log(m) + differ @ np.log1p(-m)
    log_other = np.log1p(-share) + agree @ np.log(u) + differ @ np.log1p(-u)
    log_either = np.logaddexp(log_match, log_other)
    return np.exp(log_match - log_either), float(counts @ log_either)


def _rate(counts: Floats, agree: Floats, differ: Floats) -> Floats:
    yes, no = counts @ agree, counts @ differ
    return np.clip(yes / np.maximum(yes + no, np.finfo(float).tiny), EDGE, 1 - EDGE)
