from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from ammg.kernels.matching.auction import auction, open_bidding
from ammg.kernels.matching.edges import edges_of


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


def two_best(values, least):
    best, second, place = least, -np.inf, -1
    for k, value in enumerate(values):
        if value > best:
            best, second, place = value, best, k
        elif value > second:
            second = value
    return best, second, place


def plain_auction(weight, bidding, outside, increment):
    """The same auction, one value after the other, on a matrix with NaN where there is no edge."""
    column_of, row_of, price, profit = bidding

    for i, j in enumerate(column_of):
        best, _, _ = two_best(weight[i] - price, outside)
        profit[i] = outside if j < 0 else weight[i, j] - price[j]
        if j >= 0 and profit[i] < best - increment:
            row_of[j], column_of[i] = -1, -1
    queue = deque(np.flatnonzero(column_of < 0))
    while queue:
        i = queue.popleft()
        best, second, j = two_best(weight[i] - price, outside)
        if j < 0:
            profit[i] = outside
            continue
        price[j] += best - second + increment
        profit[i] = second - increment
        loser, row_of[j], column_of[i] = row_of[j], i, j
        if loser >= 0:
            column_of[loser] = -1
            queue.append(loser)
    plain_reverse(weight, bidding, increment)


def plain_reverse(weight, bidding, increment):
    column_of, row_of, price, profit = bidding
    queue = deque(np.flatnonzero((row_of < 0) & (price > 0)))
    while queue:
        j = queue.popleft()
        best, second, i = two_best(weight[:, j] - profit, -np.inf)
        if best <= increment:
            price[j] = 0.0
            continue
        price[j] = max(best - min(best, best - second + increment), 0.0)
        profit[i] = weight[i, j] - price[j]
        left, column_of[i], row_of[j] = column_of[i], j, i
        if left >= 0:
            row_of[left] = -1
            if price[left] > 0:
                queue.append(left)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("shape", [(40, 40), (30, 50), (50, 30)])
def test_bids_are_those_of_an_auction_without_fetching_ahead(shape, ties, monkeypatch):
    monkeypatch.setattr("ammg.kernels.matching.auction._BLOCK", 7)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    for seed in range(10):
        rng = np.random.default_rng(seed)
        weight = rng.integers(0, 4, shape).astype(float) if ties else rng.normal(size=shape)
        weight[rng.random(shape) < 0.6] = np.nan
        row, column = np.nonzero(~np.isnan(weight))
        edges = edges_of(row, column, weight[row, column], *shape)
        found, expected = open_bidding(*shape), open_bidding(*shape)
        for increment in (1.0, 0.1, 0.01):
            assert auction(edges, found, -5.0, increment, 10**6)
            plain_auction(weight, expected, -5.0, increment)
            for one, other in zip(found, expected, strict=True):
                assert np.array_equal(one, other)
