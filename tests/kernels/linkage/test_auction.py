from __future__ import annotations

import numpy as np

from ammg.kernels.linkage.auction import auction, edges_of, open_bidding


def trade(edges, bidding, outside, increments, most_bids=10**6):
    """Bid with falling increments; the number of calls."""
    calls = 0
    for increment in increments:
        calls += 1
        while not auction(edges, bidding, outside, increment, most_bids):
            calls += 1
    return calls


def test_prices_prove_the_matching():
    rng = np.random.default_rng(2)
    weights = rng.normal(size=(60, 80))
    row, column = np.nonzero(rng.random(weights.shape) < 0.3)
    edges = edges_of(row, column, weights[row, column], 60, 80)
    bidding = open_bidding(60, 80)
    trade(edges, bidding, -10.0, np.geomspace(1.0, 1e-7, 11))
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
    trade(first, bidding, 0.0, [1.0, 1e-3, 1e-6])
    assert bidding.column_of.tolist() == [-1, 0]
    more = edges_of(np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([2.0, 1.0, 3.0]), 2, 2)
    trade(more, bidding, 0.0, [1.0, 1e-3, 1e-6])
    assert bidding.column_of.tolist() == [1, 0]


def test_an_auction_that_pauses_ends_with_the_same_total():
    weights = np.random.default_rng(3).normal(size=(150, 150))
    row, column = np.divmod(np.arange(weights.size), 150)
    edges = edges_of(row, column, weights.ravel(), 150, 150)
    totals, calls = [], []
    for most_bids in (10**6, 200):
        bidding = open_bidding(150, 150)
        calls.append(trade(edges, bidding, -10.0, [1.0, 1e-3, 1e-6], most_bids))
        totals.append(weights[np.arange(150), bidding.column_of].sum())
    assert calls[0] == 3 < calls[1]
    assert abs(totals[0] - totals[1]) < 150 * 1e-6
