"""The decision rule of Fellegi and Sunter (1969): link, look at by hand, or do not link, at given error bounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class DecisionRule(NamedTuple):
    """Link above `upper`, do not link below `lower`; between them and on them a clerk decides."""

    upper: float
    lower: float

    def links(self, weights: Floats) -> NDArray[np.bool_]:
        """Which weights are links."""
        return weights > self.upper

    def non_links(self, weights: Floats) -> NDArray[np.bool_]:
        """Which weights are no links."""
        return (weights < self.lower) & ~(weights > self.upper)


def decision_rule(weights: Floats, m: Floats, u: Floats, false_link: float, false_non_link: float) -> DecisionRule:
    """Choose thresholds so that P(link | no match) <= false_link and P(no link | match) <= false_non_link.

    `weights` are those of the patterns (or of bins of a histogram of weights), `m` and `u` the probabilities that a
    match and a non-match shows each. Equal weights are decided together. Bounds so generous that the zones overlap
    leave nothing to the clerk: the upper threshold then decides.
    """
    values, place = np.unique(weights, return_inverse=True)
    of_match = np.bincount(place, m / m.sum(), len(values))
    of_other = np.bincount(place, u / u.sum(), len(values))
    above = np.cumsum(of_other[::-1])[::-1] - of_other  # P(weight > value | no match)
    below = np.cumsum(of_match) - of_match  # P(weight < value | match)
    upper = values[np.argmax(above <= false_link)]
    lower = values[len(values) - 1 - np.argmax(below[::-1] <= false_non_link)]
    return DecisionRule(float(upper), float(min(lower, upper)))


def matches_from_weights(weights: Floats, shares: Floats) -> Floats:
    """P(bin | match) from the share of all pairs in each bin of weights: a weight is the log of m over u."""
    return np.asarray(shares * np.exp(weights - weights.max(initial=0.0)))
