"""The decision rule of Fellegi and Sunter (1969): link, review, or do not link, at given error bounds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class DecisionRule(NamedTuple):
    """Link above `upper`, do not link below `lower`; from one to the other, review by hand."""

    upper: float
    lower: float

    def links(self, weights: Floats) -> NDArray[np.bool_]:
        """Which weights are links."""
        return weights > self.upper

    def non_links(self, weights: Floats) -> NDArray[np.bool_]:
        """Which weights are non-links."""
        return (weights < self.lower) & ~(weights > self.upper)


def decision_rule(weights: Floats, m: Floats, u: Floats, false_link: float, false_non_link: float) -> DecisionRule:
    """Choose thresholds so that P(link | no match) <= false_link and P(no link | match) <= false_non_link.

    `weights` are those of the patterns (or of bins of a histogram of weights), `m` and `u` the probabilities of each
    for a match and a non-match. Equal weights are decided together. If the bounds are so generous that the zones
    overlap, nothing is left for review, and the upper threshold decides.
    """
    values, place = np.unique(weights, return_inverse=True)
    # Sums of counts are exact and divided once, so that a share equal to its bound meets it.
    of_match = np.cumsum(np.bincount(place, m, len(values)))
    of_other = np.cumsum(np.bincount(place, u, len(values))[::-1])
    above = np.append(of_other[-2::-1], 0.0) / of_other[-1]  # P(weight > value | no match)
    below = np.append(0.0, of_match[:-1]) / of_match[-1]  # P(weight < value | match)
    upper = values[np.argmax(above <= false_link)]
    lower = values[len(values) - 1 - np.argmax(below[::-1] <= false_non_link)]
    return DecisionRule(float(upper), float(min(lower, upper)))


def decision_rule_of_bins(
    edges: Floats, m: Floats, u: Floats, false_link: float, false_non_link: float
) -> DecisionRule:
    """The same from a histogram: bin k contains the weights above `edges[k]`, up to and including `edges[k + 1]`.

    A threshold is an edge, so that a whole bin is on one side of it and the bounds hold for the weights themselves.
    """
    upper, lower = map(int, decision_rule(np.arange(len(m), dtype=np.float64), m, u, false_link, false_non_link))
    if m[: upper + 1].sum() / m.sum() <= false_non_link:
        lower = upper + 1
    return DecisionRule(float(edges[upper + 1]), float(edges[lower]))


class WeightLaws(NamedTuple):
    """The probabilities of each weight, or bin of weights, for a match and a non-match."""

    match: Floats
    other: Floats


def laws_from_weights(weights: Floats, counts: Floats, matches: float) -> WeightLaws:
    """Split the pairs of each weight into matches and others, if the weight is the log of m over u.

    Of all pairs, P(weight) = p m + (1 - p) u, hence a pair of weight w matches with probability
    p e^w / (1 - p + p e^w). The odds p / (1 - p) are chosen so that as many pairs match as the files allow; a constant
    error in the weights therefore does no harm.
    """
    low, high = -float(weights.max(initial=0.0)) - 100.0, -float(weights.min(initial=0.0)) + 100.0
    for _ in range(200):
        odds = 0.5 * (low + high)
        low, high = (low, odds) if counts @ _logistic(weights + odds) > matches else (odds, high)
    matching = _logistic(weights + 0.5 * (low + high))
    of_match, of_other = counts * matching, counts * (1 - matching)
    tiny = np.finfo(float).tiny
    return WeightLaws(of_match / max(of_match.sum(), tiny), of_other / max(of_other.sum(), tiny))


def _logistic(values: Floats) -> Floats:
    return np.asarray(np.exp(-np.logaddexp(0.0, -values)))
