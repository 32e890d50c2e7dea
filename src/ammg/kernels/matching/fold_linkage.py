"""Cross-validated links: each record is linked by what was learned from others.

An attack that learns from true pairs and is scored on the same pairs finds people in pure noise. So people are divided
into folds, and the records of each fold are compared in a space learned from the pairs of the other folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.linkage.nearest import k_nearest, nearest_credit
from ammg.kernels.linkage.pair_scores import Candidates
from ammg.kernels.matching.assignment import UNLINKED, Assignment, assign_all, assign_by_prices
from ammg.kernels.matching.nearest_assignment import DENSE_PAIRS, NEIGHBOURS, all_distances, over_distances

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SEED = 1936  # of the folds: fixed, so that measures are reproducible


class FoldSpace(NamedTuple):
    """The records of one fold, and all people, in the space learned from the other folds."""

    rows: Ints  # of the masked file
    original: Floats  # everybody
    masked: Floats  # the records `rows`
    kinds: Ints
    weights: Floats
    limit: float  # records farther apart are not linked


def fold_numbers(link: Ints, people: int, folds: int) -> Ints:
    """A fold for each record: the same for all records of one person, with equally many people in each."""
    rng = np.random.default_rng(SEED)
    is_linked = np.zeros(people, dtype=bool)
    is_linked[link[link >= 0]] = True
    linked = np.flatnonzero(is_linked)
    of_person = np.zeros(people + 1, dtype=np.int64)
    of_person[linked] = rng.permutation(len(linked)) % folds
    return np.where(link >= 0, of_person[link], rng.integers(0, folds, len(link)))


def credit_in_folds(spaces: Sequence[FoldSpace], origin: Ints) -> Floats:
    """The probability that the person nearest to each record is the true one; 0 for records in no space."""
    credit = np.zeros(len(origin))
    for space in spaces:
        credit[space.rows] = nearest_credit(
            space.original, space.masked, origin[space.rows], kinds=space.kinds, weights=space.weights
        )
    return credit


def likelihood_in_folds(spaces: Sequence[FoldSpace], records: int) -> Floats:
    """Log-likelihoods of records × people, each record in its own space; distant pairs all count the same."""
    likelihood = np.zeros((records, len(spaces[0].original)))
    for space in spaces:

        def take(start: int, stop: int, distances: Floats, space: FoldSpace = space) -> None:
            np.minimum(distances, space.limit, out=distances)
            distances *= -0.5
            likelihood[space.rows[start:stop]] = distances

        over_distances(space.original, space.masked, space.kinds, space.weights, take)
    return likelihood


def assign_in_folds(spaces: Sequence[FoldSpace], records: int) -> Assignment:
    """One-to-one links with the least sum of distances, each record in its own space."""
    people = len(spaces[0].original)
    limit = max(space.limit for space in spaces)
    if not records or not people:
        return Assignment(np.full(records, UNLINKED, dtype=np.int64), 0.0)
    if records * people <= DENSE_PAIRS:
        distances = np.full((records, people), limit)
        for space in spaces:
            found = all_distances(space.original, space.masked, space.kinds, space.weights)
            distances[space.rows] = np.minimum(found, limit)
        links = assign_all(-distances).links
        linked = (links >= 0) & (distances[np.arange(records), links] < limit)
        return Assignment(np.where(linked, links, UNLINKED), 0.0)

    def best(prices: Floats) -> Candidates:
        count = min(NEIGHBOURS, people)
        rows, weights = np.zeros((records, count), dtype=np.int64), np.zeros((records, count))
        for space in spaces:
            near, distances = k_nearest(
                space.original, space.masked, count, kinds=space.kinds, weights=space.weights, prices=prices
            )
            rows[space.rows], weights[space.rows] = near, prices[near] - distances
        return Candidates(rows, weights)

    return assign_by_prices(best, (records, people), -limit)
