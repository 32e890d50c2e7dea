"""The attack on whatever was composed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.kernels.rates import link_credit
from ammg.kernels.residual_space import residual_space
from ammg.measures.attack import Attack, Attempt, best_of
from ammg.measures.intruder import Search

Floats = NDArray[np.float64]

LEAST_AGREEMENT = 1e-6


class ResidualLinkage(Attack):
    """Share of released records found by an intruder who has learned from true pairs what the mask does to records.

    The best linear prediction of the released from the original numbers, the covariance of its residuals and the rates
    at which categories stay give each pair a likelihood; links go to the most likely person, or one to one. No recipe
    escapes by being composed. A worst case: it takes true pairs to learn from.
    Source: Torra, Abowd and Domingo-Ferrer (2006); Abril, Navarro-Arribas and Torra (2012).
    """

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Learn from the true pairs, then look for the nearest person."""
        from ammg.kernels.kd_tree import MISMATCH, SQUARED
        from ammg.kernels.nearest import nearest_credit, number_copies
        from ammg.kernels.nearest_assignment import assign_nearest

        known, origin = search.known, search.origin
        numbers = ~known.categorical
        space = residual_space(known.original[:, numbers], known.masked[:, numbers], origin)
        codes, shown = known.original[:, ~numbers], known.masked[:, ~numbers]
        original, masked = np.hstack([space.original, codes]), np.hstack([space.masked, shown])
        if not original.shape[1]:
            raise NotDefined("the known attributes do not vary")
        kinds = np.repeat([SQUARED, MISMATCH], [space.original.shape[1], codes.shape[1]])
        weights = np.concatenate([np.ones(space.original.shape[1]), _mismatch_costs(codes, shown, origin)])
        ways = {"nearest": nearest_credit(original, masked, origin, kinds=kinds, weights=weights)}
        if self.compares(pair):
            limit = _limit(space.original, space.masked, origin) + weights[space.original.shape[1] :].sum()
            links = assign_nearest(original, masked, kinds=kinds, weights=weights, limit=limit).links
            ways["one_to_one"] = link_credit(links, origin, number_copies(original), number_copies(masked))
        return best_of(ways, origin >= 0, {})


def _mismatch_costs(codes: Floats, shown: Floats, origin: NDArray[np.int64]) -> Floats:
    """Twice the log-likelihood ratio of agreement among true pairs and among all pairs, to add to squared residuals."""
    real = origin >= 0
    pairs = codes[origin[real]], shown[real]
    seen = ~np.isnan(pairs[0] + pairs[1])
    m = ((pairs[0] == pairs[1]) & seen).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    u = np.array([_chance(a, b) for a, b in zip(codes.T, shown.T, strict=True)])
    m, u = np.clip(m, LEAST_AGREEMENT, 1 - LEAST_AGREEMENT), np.clip(u, LEAST_AGREEMENT, 1 - LEAST_AGREEMENT)
    return np.asarray(np.maximum(2 * (np.log(m / u) - np.log1p(-m) + np.log1p(-u)), 0.0))


def _chance(codes: Floats, shown: Floats) -> float:
    """The chance that a random pair agrees."""
    sides = [side[~np.isnan(side)].astype(np.int64) for side in (codes, shown)]
    size = 1 + max((int(side.max(initial=0)) for side in sides), default=0)
    shares = [np.bincount(side, minlength=size) / max(len(side), 1) for side in sides]
    return float(shares[0] @ shares[1])


def _limit(original: Floats, masked: Floats, origin: NDArray[np.int64]) -> float:
    """A distance that hardly any true pair exceeds; beyond it one wrong person is as wrong as another."""
    real = origin >= 0
    true = ((masked[real] - original[origin[real]]) ** 2).sum(axis=1)
    return float(2 * np.quantile(true, 0.99) + 1)
