from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.linkage.pair_scores import Candidates
from ammg.kernels.matching.assignment import assign_all, assign_by_prices, assign_within


def total(weights, links):
    linked = links >= 0
    return weights[linked, links[linked]].sum()


def best_of(weights, count):
    """The search for candidates that a matrix of weights allows."""

    def best(prices):
        order = np.argsort(prices - weights, axis=1, kind="stable")[:, :count]
        return Candidates(order, np.take_along_axis(weights, order, axis=1))

    return best


def solve_by_prices(weights, count):
    return assign_by_prices(best_of(weights, count), weights.shape, weights.min() - 1, tolerance=1e-9)


def test_dense_matching_is_the_best_of_all_permutations():
    weights = np.random.default_rng(0).normal(size=(6, 6))
    best = max(weights[np.arange(6), list(order)].sum() for order in permutations(range(6)))
    assert total(weights, assign_all(weights).links) == pytest.approx(best)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 40), st.integers(1, 12), st.booleans())
def test_candidates_with_prices_give_the_matching_of_all_pairs(seed, rows, columns, count, ties):
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 4, (rows, columns)).astype(float) if ties else rng.normal(size=(rows, columns))
    dense, sparse = assign_all(weights), solve_by_prices(weights, count)
    assert total(weights, sparse.links) == pytest.approx(total(weights, dense.links), abs=1e-5)
    assert np.count_nonzero(sparse.links >= 0) == min(rows, columns)
    linked = sparse.links[sparse.links >= 0]
    assert len(np.unique(linked)) == len(linked)


def test_the_same_matching_on_hundreds_of_records():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(400, 3))
    noisy = points + 0.5 * rng.normal(size=points.shape)
    weights = -((noisy[:, None] - points[None]) ** 2).sum(axis=2)
    assert np.array_equal(assign_all(weights).links, solve_by_prices(weights, 8).links)


def test_the_gap_bounds_what_a_better_matching_could_gain():
    rng = np.random.default_rng(4)
    weights = rng.normal(size=(120, 150))
    early = assign_by_prices(best_of(weights, 3), weights.shape, weights.min() - 1, rounds=1)
    unlinked = np.count_nonzero(early.links < 0) * (weights.min() - 1)
    best = total(weights, assign_all(weights).links)
    assert total(weights, early.links) + unlinked < best
    assert best <= total(weights, early.links) + unlinked + early.gap


def test_given_pairs_only_are_used_and_as_many_as_possible():
    masked, original = np.array([0, 0, 1, 2]), np.array([0, 1, 0, 0])
    links = assign_within(masked, original, np.array([9.0, 1.0, 1.0, 2.0]), (4, 3)).links
    assert links.tolist() == [1, -1, 0, -1]


def test_file_order_tells_nothing_where_all_matchings_are_equal():
    weights = np.zeros((300, 300))
    pairs = np.nonzero(weights == 0)
    for links in (assign_all(weights).links, assign_within(*pairs, weights.ravel(), weights.shape).links):
        assert sorted(links) == list(range(300))
        assert (links == np.arange(300)).sum() < 10


def test_weights_that_are_no_numbers_link_nobody():
    weight = np.array([1.0, np.nan, 2.0])
    assert assign_within(np.array([0, 0, 1]), np.array([0, 1, 1]), weight, (2, 2)).links.tolist() == [-1, -1]


def test_whole_numbers_are_weights_too():
    pairs = np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([9, 1, 8], dtype=np.uint8)
    assert assign_within(*pairs, (2, 2)).links.tolist() == [1, 0]


def test_no_pairs_leave_everybody_unlinked():
    nothing = np.empty(0, dtype=np.int64)
    assert assign_within(nothing, nothing, np.empty(0), (2, 3)).links.tolist() == [-1, -1]
