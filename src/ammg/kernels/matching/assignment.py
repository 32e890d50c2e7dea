"""One-to-one links between two files: the matching with the largest sum of weights.

Linkage without assignment may link many masked records to the same original, although a file contains each person once.
Small files are solved on all pairs (Jonker-Volgenant, scipy). Large ones are solved on candidate pairs by an auction,
whose prices show which further pairs could still improve the matching. These are added until the prices prove that none
is missing, so that the result is optimal for all pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.linkage.pair_scores import Candidates
from ammg.kernels.matching.auction import Bidding, auction, open_bidding
from ammg.kernels.matching.edges import edges_of, link_weights, no_edges, with_candidates
from ammg.progress import part, tick

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UNLINKED = -1
FACTOR = 8.0  # factor by which the bid increment falls
PRECISION = 1e-9  # of the range of weights: the last bid increment
LEFT = 0.8  # share of the way that remains after each step of a search for candidates
BIDS = 1_000_000  # bids between two reports of progress
COARSE = 0.1  # share of the tolerance: the last bid increment while candidates are still missing


class Assignment(NamedTuple):
    """The original of each masked record (-1: unlinked), and an upper bound of the gain of a better matching."""

    links: Ints
    gap: float


def assign_all(weights: Floats) -> Assignment:
    """The best matching of masked records (rows) with originals (columns) under a matrix of weights.

    The smaller side is matched completely. The choice among equally good matchings is independent of file order, which
    could reveal the truth.
    """
    from scipy.optimize import linear_sum_assignment

    rows, columns = _shuffles(*weights.shape)
    row, column = linear_sum_assignment(weights[np.ix_(rows, columns)], maximize=True)
    links = np.full(len(weights), UNLINKED, dtype=np.int64)
    links[rows[row]] = columns[column]
    return Assignment(links, 0.0)


def assign_within(masked: Ints, original: Ints, weight: Floats, shape: tuple[int, int]) -> Assignment:
    """The best matching that uses given pairs only; as many masked records are linked as the pairs allow."""
    market = _Market(shape, _outside(weight, shape[0]))
    market.open(masked, original, weight)
    market.trade(PRECISION)
    return market.assignment(0.0)


def assign_by_prices(
    best: Callable[[Floats], Candidates],
    shape: tuple[int, int],
    lowest: float,
    *,
    tolerance: float = 1e-4,
    rounds: int = 20,
) -> Assignment:
    """The best matching of all pairs, found on candidates.

    `best(prices)` returns, for each masked record, some originals of largest weight minus price, including the best;
    `lowest` is below every weight. Candidates are added until no better matching can exceed this one by more than
    `tolerance` of a weight range per record on average, or for `rounds`. Bids are coarse until then; the matching on
    the candidates is made exact once, at the end.
    """
    market = _Market(shape, lowest)
    with _step(0):
        candidates = best(np.zeros(shape[1]))
    span = float(candidates.weight.max(initial=lowest)) - lowest
    for k in range(rounds):
        market.add(candidates)
        with _step(2 * k + 1):
            market.trade(COARSE * tolerance)
        with _step(2 * k + 2):
            candidates = best(market.price())
        gap = market.gap(candidates)
        if gap <= tolerance * span * shape[0]:
            break
    total = market.total()
    market.trade(PRECISION)
    return market.assignment(max(gap - (market.total() - total), 0.0))


def _step(number: int) -> AbstractContextManager[None]:
    """Progress of step 0, 1, 2, … when their number is unknown: each step covers a part of what remains."""
    return part(1 - LEFT**number, 1.0, size=(1 - LEFT) * LEFT**number)


class _Market:
    """An auction that continues when edges are added. Rows and columns are shuffled, so file order reveals nothing."""

    def __init__(self, shape: tuple[int, int], outside: float) -> None:
        self.rows, self.columns = _shuffles(*shape)
        self.place_of_row, self.place_of_column = np.argsort(self.rows), np.argsort(self.columns)
        self.outside = outside
        self.edges = no_edges(*shape)
        self.bidding: Bidding = open_bidding(*shape)
        self.most_bids = BIDS + 4 * max(shape)

    def open(self, masked: Ints, original: Ints, weight: Floats) -> None:
        """Start with the given edges."""
        places = self.place_of_row[masked], self.place_of_column[original]
        self.edges = edges_of(*places, weight, len(self.rows), len(self.columns))

    def add(self, candidates: Candidates) -> None:
        """Add the candidates of each masked record to the edges."""
        self.edges = with_candidates(self.edges, self.rows, *candidates, self.place_of_column)

    def trade(self, precision: float) -> None:
        """Bid with increments that fall to `precision` times the range of weights."""
        span = float(self.edges.by_row.weight.max(initial=self.outside)) - self.outside
        if span <= 0:
            return
        phases = 1 + int(np.ceil(np.log(0.25 / precision) / np.log(FACTOR)))
        for phase, increment in enumerate(np.geomspace(span / 4, span * precision, phases)):
            while not auction(self.edges, self.bidding, self.outside, increment, self.most_bids):
                tick(phase, phases)
            tick(phase + 1, phases)

    def price(self) -> Floats:
        return self.bidding.price[self.place_of_column]

    def gap(self, candidates: Candidates) -> float:
        """Dual minus primal: prices, plus what each row could gain at these prices, minus what it gains."""
        price = self.price()
        could = np.maximum((candidates.weight - price[candidates.original]).max(axis=1), self.outside)
        return max(float(price.sum() + could.sum()) - self.total(), 0.0)

    def total(self) -> float:
        """The total weight of all rows."""
        return float(link_weights(self.edges, self.bidding.column_of, self.outside)[self.place_of_row].sum())

    def assignment(self, gap: float) -> Assignment:
        links = np.full(len(self.rows), UNLINKED, dtype=np.int64)
        taken = self.bidding.column_of >= 0
        links[self.rows[taken]] = self.columns[self.bidding.column_of[taken]]
        return Assignment(links, gap)


def _outside(weight: Floats, rows: int) -> float:
    """The value of staying unlinked: so low that linking one more record outweighs any loss for the others."""
    low, high = float(weight.min(initial=0.0)), float(weight.max(initial=0.0))
    return low - 1.0 - rows * (high - low)


def _shuffles(rows: int, columns: int) -> tuple[Ints, Ints]:
    """Fixed permutations: results are reproducible and independent of the order of the files."""
    rng = np.random.default_rng(1955)
    return rng.permutation(rows), rng.permutation(columns)
