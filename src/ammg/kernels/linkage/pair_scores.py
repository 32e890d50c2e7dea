"""Agreement weights of pairs of records: for given pairs, for all pairs, and for the best candidates of all pairs.

All pairs of 59,315 × 8 are 28 billion comparisons of fields: the inner loop compares one record with a block of the
other file, field by field over contiguous memory, and keeps only the best c partners of each record.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.hashing import mix
from ammg.kernels.jit import jit
from ammg.kernels.linkage.comparison import Comparison, FieldWeights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

BLOCK = 1024  # records of the other file at a time: 8 fields of them fit into the second-level cache


class Candidates(NamedTuple):
    """The best originals of each masked record, best first."""

    original: Ints  # n_B × c
    weight: Floats  # n_B × c


def score_pairs(comparison: Comparison, weights: FieldWeights, original: Ints, masked: Ints) -> Floats:
    """The weights of given pairs of original and masked rows; missing fields add nothing."""
    top, slope = _lines(comparison, weights)
    gap = np.abs(comparison.original[original] - comparison.masked[masked])
    line = np.maximum(top[original] - slope[original] * gap, weights.disagree)
    return np.asarray(np.where(np.isnan(gap), 0.0, line).sum(axis=1))


def score_all(comparison: Comparison, weights: FieldWeights) -> Floats:
    """The n_B × n_A matrix of weights of all pairs, masked records in rows."""
    top, slope = _lines(comparison, weights)
    masked, original = _columns(comparison.masked), _columns(comparison.original)
    top, slope = _columns(top), _columns(slope)
    scores = np.empty((masked.shape[1], original.shape[1]))

    def work(start: int, stop: int) -> None:
        _score_rows(masked[:, start:stop], original, slope, top, weights.disagree, scores[start:stop])

    over_blocks(work, len(scores), block=256)
    return scores


def best_candidates(
    comparison: Comparison,
    weights: FieldWeights,
    count: int,
    prices: Floats | None = None,
) -> Candidates:
    """The `count` originals of largest weight minus price for every masked record; all pairs are scored.

    Ties are ordered by a hash of the pair, so that equal records do not all get the same few partners, and file order,
    which could reveal the truth, does not matter.
    """
    top, slope = _lines(comparison, weights)
    masked, original = _columns(comparison.masked), _columns(comparison.original)
    top, slope = _columns(top), _columns(slope)
    price = np.zeros(original.shape[1]) if prices is None else prices
    shape = masked.shape[1], min(count, original.shape[1])
    rows, values = np.full(shape, -1, dtype=np.int64), np.full(shape, -np.inf)

    def work(start: int, stop: int) -> None:
        span = slice(start, stop)
        _best_originals(masked[:, span], original, slope, top, weights.disagree, price, start, rows[span], values[span])

    over_blocks(work, len(rows), block=256)
    return Candidates(rows, values + price[rows])


def count_scores(comparison: Comparison, weights: FieldWeights, edges: Floats) -> Ints:
    """Count the weights of all pairs between equally spaced edges: above `edges[k]`, at most `edges[k + 1]`."""
    top, slope = _lines(comparison, weights)
    masked, original = _columns(comparison.masked), _columns(comparison.original)
    top, slope = _columns(top), _columns(slope)
    starts = range(0, masked.shape[1], 256)
    counts = np.zeros((len(starts), len(edges) - 1), dtype=np.int64)

    def work(start: int, stop: int) -> None:
        mine = counts[start // 256]
        _count_rows(masked[:, start:stop], original, slope, top, weights.disagree, edges, mine)

    over_blocks(work, masked.shape[1], block=256)
    return np.asarray(counts.sum(axis=0))


def _lines(comparison: Comparison, weights: FieldWeights) -> tuple[Floats, Floats]:
    """Height and slope of the line of each original value over its gap to a masked value."""
    top = np.broadcast_to(weights.agree, comparison.original.shape)
    return top, (top - weights.disagree) / (comparison.tolerance * comparison.reach)


def _columns(values: Floats) -> Floats:
    return np.ascontiguousarray(values.T)


@jit
def _score_rows(masked: Floats, original: Floats, slope: Floats, top: Floats, bottom: Floats, scores: Floats) -> None:
    m, n = original.shape
    for i in range(masked.shape[1]):
        for j in range(n):
            scores[i, j] = 0.0
        for f in range(m):
            _add_field(masked[f, i], original[f], slope[f], top[f], bottom[f], scores[i])


@jit
def _count_rows(
    masked: Floats, original: Floats, slope: Floats, top: Floats, bottom: Floats, edges: Floats, counts: Ints
) -> None:
    m, n = original.shape
    scores = np.empty(BLOCK)
    low, per_bin = edges[0], (edges[-1] - edges[0]) / len(counts)
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        block = scores[: last - first]
        for i in range(masked.shape[1]):
            block[:] = 0.0
            for f in range(m):
                _add_field(
                    masked[f, i], original[f, first:last], slope[f, first:last], top[f, first:last], bottom[f], block
                )
            for j in range(last - first):
                k = min(max(int((block[j] - low) / per_bin), 0), len(counts) - 1)
                while k > 0 and block[j] <= edges[k]:
                    k -= 1
                while k < len(counts) - 1 and block[j] > edges[k + 1]:
                    k += 1
                counts[k] += 1


@jit
def _add_field(value: float, others: Floats, slope: Floats, top: Floats, bottom: float, scores: Floats) -> None:
    """Add the weight of one field: a masked value against original values, each with its own line."""
    for j in range(len(scores)):
        line = top[j] - slope[j] * abs(others[j] - value)
        line = line if not line < bottom else bottom  # NaN passes through
        scores[j] += line if line == line else 0.0


@jit
def _best_originals(
    masked: Floats,
    original: Floats,
    slope: Floats,
    top: Floats,
    bottom: Floats,
    price: Floats,
    offset: int,
    rows: Ints,
    values: Floats,
) -> None:
    m, n = original.shape
    scores = np.empty(BLOCK)
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        block = scores[: last - first]
        for i in range(masked.shape[1]):
            for j in range(last - first):
                block[j] = -price[first + j]
            for f in range(m):
                _add_field(
                    masked[f, i],
                    original[f, first:last],
                    slope[f, first:last],
                    top[f, first:last],
                    bottom[f],
                    block,
                )
            _keep_best(block, first, offset + i, rows[i], values[i])


@jit
def _keep_best(scores: Floats, first: int, i: int, rows: Ints, values: Floats) -> None:
    """Insert scores that beat the worst kept partner, best first; the hash of the pair breaks ties."""
    worst = values[-1]
    for j in range(len(scores)):
        score = scores[j]
        if score < worst:
            continue
        key = _order(i, first + j)
        if score == worst and rows[-1] >= 0 and key >= _order(i, rows[-1]):
            continue
        place = len(values) - 1
        while place > 0:
            other = rows[place - 1]
            if values[place - 1] > score:
                break
            if values[place - 1] == score and other >= 0 and _order(i, other) < key:
                break
            values[place], rows[place] = values[place - 1], other
            place -= 1
        values[place], rows[place] = score, first + j
        worst = values[-1]


@jit
def _order(masked: int, original: int) -> np.uint64:
    return mix(np.int64((masked << 32) | original))
