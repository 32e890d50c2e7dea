from __future__ import annotations

import numpy as np

from ammg.kernels.auction import auction, edges_of, open_bidding


def test_prices_prove_the_matching():
    rng = np.random.default_rng(2)
    weights = rng.normal(size=(60, 80))
    row, column = np.nonzero(rng.random(weights.shape) < 0.3)
    edges = edges_of(row, column, weights[row, column], 60, 80)
    bidding = open_bidding(60, 80)
    auction(edges, bidding, -10.0, 1.0, 1e-7, 5.0)
    value = np.full(weights.shape, -np.inf)
    value[row, column] = weights[row, column] - bidding.price[column]
    could = np.maximum(value.max(axis=1), -10.0)
    taken = bidding.column_of
    got = np.where(taken >= 0, value[np.arange(60), taken], -10.0)
    assert (could - got).max() <= 2e-7
    assert not bidding.price[bidding.row_of < 0].any()
    assert (bidding.price >= 0).all()


def test_an_auction_goes_on_where_another_stopped():
    first = edges_of(np.array([0, 1]), np.array([0, 0]), np.array([2.0, 3.0]), 2, 2)
    bidding = open_bidding(2, 2)
    auction(first, bidding, 0.0, 1.0, 1e-6, 4.0)
    assert bidding.column_of.tolist() == [-1, 0]
    more = edges_of(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([2.0, 1.0, 3.0]), 2, 2)
    auction(more, bidding, 0.0, 1.0, 1e-6, 4.0)
    assert bidding.column_of.tolist() == [1, 0]
