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
from ammg.kernels.jit import jit, jit_part
from ammg.kernels.linkage.comparison import EQUAL_REACH, Comparison, FieldWeights

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ANY, FINITE, CODES = 0, 1, 2  # kinds of fields
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
    fields, masked = _Fields.of(comparison, weights), _columns(comparison.masked)
    scores = np.empty((masked.shape[1], fields.original.shape[1]))

    def work(start: int, stop: int) -> None:
        _score_rows(masked[:, start:stop], fields, scores[start:stop])

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
    fields, masked = _Fields.of(comparison, weights), _columns(comparison.masked)
    people = fields.original.shape[1]
    price = np.zeros(people) if prices is None else prices
    shape = masked.shape[1], min(count, people)
    rows, values = np.full(shape, -1, dtype=np.int64), np.full(shape, -np.inf)

    def work(start: int, stop: int) -> None:
        span = slice(start, stop)
        _best_originals(masked[:, span], fields, price, start, np.empty(BLOCK), rows[span], values[span])

    over_blocks(work, len(rows), block=256)
    return Candidates(rows, values + price[rows])


def count_scores(comparison: Comparison, weights: FieldWeights, edges: Floats) -> Ints:
    """Count the weights of all pairs between equally spaced edges: above `edges[k]`, at most `edges[k + 1]`."""
    fields, masked = _Fields.of(comparison, weights), _columns(comparison.masked)
    starts = range(0, masked.shape[1], 256)
    counts = np.zeros((len(starts), len(edges) - 1), dtype=np.int64)

    def work(start: int, stop: int) -> None:
        _count_rows(masked[:, start:stop], fields, edges, np.empty(BLOCK), counts[start // 256])

    over_blocks(work, masked.shape[1], block=256)
    return np.asarray(counts.sum(axis=0))


def _lines(comparison: Comparison, weights: FieldWeights) -> tuple[Floats, Floats]:
    """Height and slope of the line of each original value over its gap to a masked value."""
    top = np.broadcast_to(weights.agree, comparison.original.shape)
    return top, (top - weights.disagree) / (comparison.tolerance * comparison.reach)


def _columns(values: Floats) -> Floats:
    return np.ascontiguousarray(values.T)


class _Fields(NamedTuple):
    """The originals by field, and the lines that their agreement follows."""

    original: Floats
    slope: Floats
    top: Floats
    bottom: Floats
    kinds: Ints  # ANY, FINITE or CODES

    @classmethod
    def of(cls, comparison: Comparison, weights: FieldWeights) -> _Fields:
        """Fields of codes without gaps agree or not, and in finite ones nothing is missing: both are added faster."""
        original, (top, slope) = _columns(comparison.original), map(_columns, _lines(comparison, weights))
        finite = np.isfinite(original + top + slope).all(axis=1)
        codes = (comparison.reach == EQUAL_REACH).all(axis=0) & (weights.disagree <= top.T).all(axis=0)
        codes &= (top == top[:, :1]).all(axis=1)
        kinds = np.where(finite, np.where(codes, CODES, FINITE), ANY)
        return cls(original, slope, top, np.ascontiguousarray(weights.disagree), kinds.astype(np.int64))


@jit
def _score_rows(masked: Floats, fields: _Fields, scores: Floats) -> None:
    people = scores.shape[1]
    for first in range(0, people, BLOCK):
        last = min(first + BLOCK, people)
        for i in range(masked.shape[1]):
            block = scores[i, first:last]
            for j in range(len(block)):
                block[j] = 0.0
            _add_fields(masked, i, fields, first, block)


@jit
def _count_rows(masked: Floats, fields: _Fields, edges: Floats, scores: Floats, counts: Ints) -> None:
    people = fields.original.shape[1]
    low, per_bin = edges[0], (edges[-1] - edges[0]) / len(counts)
    for first in range(0, people, BLOCK):
        block = scores[: min(BLOCK, people - first)]
        for i in range(masked.shape[1]):
            for j in range(len(block)):
                block[j] = 0.0
            _add_fields(masked, i, fields, first, block)
            for j in range(len(block)):
                k = min(max(int((block[j] - low) / per_bin), 0), len(counts) - 1)
                while k > 0 and block[j] <= edges[k]:
                    k -= 1
                while k < len(counts) - 1 and block[j] > edges[k + 1]:
                    k += 1
                counts[k] += 1


@jit
def _best_originals(
    masked: Floats, fields: _Fields, price: Floats, offset: int, scores: Floats, rows: Ints, values: Floats
) -> None:
    people = len(price)
    for first in range(0, people, BLOCK):
        block = scores[: min(BLOCK, people - first)]
        for i in range(masked.shape[1]):
            for j in range(len(block)):
                block[j] = -price[first + j]
            _add_fields(masked, i, fields, first, block)
            _keep_best(block, first, offset + i, rows[i], values[i])


@jit_part
def _add_fields(masked: Floats, i: int, fields: _Fields, first: int, scores: Floats) -> None:
    """Add the weights of a masked record against the originals from `first` on, field by field."""
    last = first + len(scores)
    for f in range(len(masked)):
        value, others, bottom = masked[f, i], fields.original[f, first:last], fields.bottom[f]
        if fields.kinds[f] == CODES:
            if value == value:
                top = fields.top[f, first]
                for j in range(len(scores)):
                    scores[j] += top if others[j] == value else bottom
        elif fields.kinds[f] == FINITE and np.isfinite(value):
            _add_finite(value, others, fields.slope[f, first:last], fields.top[f, first:last], bottom, scores)
        else:
            _add_field(value, others, fields.slope[f, first:last], fields.top[f, first:last], bottom, scores)


@jit_part
def _add_field(value: float, others: Floats, slope: Floats, top: Floats, bottom: float, scores: Floats) -> None:
    """Add the weight of one field: a masked value against original values, each with its own line."""
    for j in range(len(scores)):
        line = top[j] - slope[j] * abs(others[j] - value)
        line = line if not line < bottom else bottom  # NaN passes through
        scores[j] += line if line == line else 0.0


@jit_part
def _add_finite(value: float, others: Floats, slope: Floats, top: Floats, bottom: float, scores: Floats) -> None:
    """The same where nothing is missing or infinite."""
    for j in range(len(scores)):
        line = top[j] - slope[j] * abs(others[j] - value)
        scores[j] += line if line > bottom else bottom


@jit_part
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


@jit_part
def _order(masked: int, original: int) -> np.uint64:
    return mix(np.int64((masked << 32) | original))
