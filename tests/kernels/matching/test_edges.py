from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.matching import edges as edges_module
from ammg.kernels.matching.edges import edges_of, link_weights, no_edges, with_candidates


def as_pairs(side):
    rows = np.repeat(np.arange(len(side.start) - 1), np.diff(side.start))
    return dict(zip(zip(rows.tolist(), side.other.tolist(), strict=True), side.weight.tolist(), strict=True))


def flipped(pairs):
    return {(column, row): weight for (row, column), weight in pairs.items()}


def assert_sorted(side):
    for first, last in zip(side.start[:-1], side.start[1:], strict=True):
        assert (np.diff(side.other[first:last].astype(int)) > 0).all()


def test_edges_read_the_same_both_ways():
    rng = np.random.default_rng(0)
    row, column = rng.integers(0, 50, 300), rng.integers(0, 30, 300)
    weight = rng.normal(size=300)
    edges = edges_of(row, column, weight, 50, 30)
    expected = {}
    for i, j, w in zip(row.tolist(), column.tolist(), weight.tolist(), strict=True):
        expected.setdefault((i, j), w)  # of equal edges, the first counts
    assert as_pairs(edges.by_row) == expected
    assert as_pairs(edges.by_column) == flipped(expected)
    assert_sorted(edges.by_row)
    assert_sorted(edges.by_column)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.integers(1, 20), st.integers(1, 6), st.integers(1, 4))
def test_candidates_add_the_edges_that_are_not_there_yet(seed, rows, columns, most, rounds):
    rng = np.random.default_rng(seed)
    order, place_of = rng.permutation(rows), rng.permutation(columns)
    edges, expected = no_edges(rows, columns), {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edges_module, "_BLOCK", 7)
        for _ in range(rounds):
            candidates, weights = rng.integers(0, columns, (rows, most)), rng.normal(size=(rows, most))
            edges = with_candidates(edges, order, candidates, weights, place_of)
            for k, record in enumerate(order):
                for c, w in zip(candidates[record], weights[record], strict=True):
                    expected.setdefault((k, int(place_of[c])), float(w))
    assert as_pairs(edges.by_row) == expected
    assert as_pairs(edges.by_column) == flipped(expected)
    assert_sorted(edges.by_row)
    assert_sorted(edges.by_column)


def test_link_weights_links_are_those_of_their_edges():
    edges = edges_of(np.array([0, 0, 2]), np.array([1, 2, 0]), np.array([5.0, 6.0, 7.0]), 3, 3)
    assert link_weights(edges, np.array([2, -1, 0]), -9.0).tolist() == [6.0, -9.0, 7.0]


def test_no_rows_have_no_edges():
    nothing = np.empty((0, 3), dtype=np.int64)
    edges = with_candidates(no_edges(0, 4), np.empty(0, np.int64), nothing, nothing.astype(float), np.arange(4))
    assert not len(edges.by_row.other) and edges.by_column.start.tolist() == [0] * 5
