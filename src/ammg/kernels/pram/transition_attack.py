"""Posterior probabilities of the person behind a record whose categories were changed with published probabilities.

PRAM publishes P(released | original) for every column. The likelihood of each original given a released record is a
product over columns, so Bayes' rule inverts the mask. Equal originals are merged, and only those that agree on the
unchanged columns are considered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.noise.noise_posterior import Posterior
from ammg.kernels.orders import equal_rows, first_rows
from ammg.kernels.threads import both

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

PAIRS, FEWEST, MOST = 1 << 18, 256, 1 << 14  # compared at a time, and for how many records
IMPOSSIBLE = -200.0  # log-likelihood of a pair that no change can explain


def transition_posterior(
    original: Codes,
    masked: Codes,
    origin: Ints,
    matrices: Sequence[Floats],
    unchanged: tuple[Ints, Ints] | None = None,
    layers: tuple[Ints, Ints] | None = None,
) -> Posterior:
    """Posterior over all originals, under equal priors, for each masked record.

    `matrices[j][a, b]` is the probability that code a of column j is released as b. A missing code (-1) of a
    masked record carries no information; a person without a code is treated as an average person.
    `unchanged` has a number from 0 for each original and each masked record; only those with equal numbers can belong
    together. With `layers`, each cell of both files has the number of its matrix; codes of different matrices do not
    belong together.
    """
    before, after = layers or (None, None)
    people, (shown, layer, stack) = both(
        lambda: _people(original, len(masked), unchanged, before),
        lambda: _shown(masked, after, matrices),
        original.size + masked.size,
    )
    own = np.where(origin >= 0, people.cell[origin] if len(people.cell) else 0, -1)
    result = Posterior(np.zeros(len(masked)), np.zeros(len(masked)), np.zeros(len(masked)))

    def work(start: int, stop: int) -> None:
        span = slice(start, stop)
        outs = [values[span] for values in result]
        sides = people.codes, people.layers, people.copies, people.first[span], people.last[span]
        _weigh(*sides, shown[span], layer[span], own[span], *stack, *outs)

    over_blocks(work, len(masked), block=people.block)
    return result


def transition_likelihood(
    original: Codes,
    masked: Codes,
    matrices: Sequence[Floats],
    unchanged: tuple[Ints, Ints],
    layers: tuple[Ints, Ints],
) -> Floats:
    """Log-likelihoods of masked records × originals; arguments as in `transition_posterior`."""
    people = _people(original, len(masked), unchanged, layers[0])
    shown, layer, stack = _shown(masked, layers[1], matrices)
    likelihood = np.empty((len(masked), len(original)))

    def work(start: int, stop: int) -> None:
        span = slice(start, stop)
        cells = np.full((stop - start, len(people.copies)), IMPOSSIBLE)
        sides = people.codes, people.layers, people.first[span], people.last[span]
        _fill(*sides, shown[span], layer[span], *stack, cells)
        np.take(cells, people.cell, axis=1, out=likelihood[span], mode="clip")

    over_blocks(work, len(masked), block=16)
    return likelihood


def shown_by(
    original: Codes,
    masked: Codes,
    matrices: Sequence[Floats],
    unchanged: tuple[Ints, Ints],
    layers: tuple[Ints, Ints],
    fraction: float,
) -> tuple[Floats, Floats]:
    """M_kk and Σ_j F_j M_kj / (1 - π M_kj) of the released cell k of each masked record; F are the originals.

    M_kj is the probability that a person of cell j is released in k, as in `misclassification`, but computed from pairs
    of records, so that changes within groups and of combinations are covered; other arguments as in
    `transition_posterior`. M_kk is 0 if nobody is in cell k: then nobody released there really belongs there.
    """
    people = _people(original, len(masked), unchanged, layers[0])
    stay, others = np.ones(len(masked)), np.zeros(len(masked))
    shown = masked.astype(np.int64)
    stack = _stacked(matrices, shown, layers[1])

    def work(start: int, stop: int) -> None:
        span = slice(start, stop)
        sides = people.codes, people.layers, people.copies, people.first[span], people.last[span]
        _add_up(*sides, shown[span], layers[1][span], *stack, fraction, stay[span], others[span])

    over_blocks(work, len(masked), block=people.block)
    return stay, others


class _People(NamedTuple):
    """Distinct originals with their numbers, and the possible originals of each masked record."""

    codes: Ints
    layers: Ints
    copies: Floats
    cell: Ints
    first: Ints
    last: Ints

    @property
    def block(self) -> int:
        """How many masked records to compare with their possible originals at a time."""
        pairs = int((self.last - self.first).sum())
        return int(np.clip(PAIRS * len(self.first) // max(pairs, 1), FEWEST, MOST))


def _people(original: Codes, masked: int, unchanged: tuple[Ints, Ints] | None, layers: Ints | None) -> _People:
    key, masked_key = unchanged or (np.zeros(len(original), dtype=np.int64), np.zeros(masked, dtype=np.int64))
    layer = _layers(original, layers)
    cell = equal_rows([key, *original.T, *layer.T], len(original))
    kept = first_rows(cell)
    starts = np.searchsorted(key[kept], np.arange(max(key.max(initial=0), masked_key.max(initial=0)) + 2))
    return _People(
        original[kept].astype(np.int64),
        layer[kept],
        np.bincount(cell).astype(np.float64),
        cell,
        starts[masked_key],
        starts[masked_key + 1],
    )


def _layers(codes: Codes, layers: Ints | None) -> Ints:
    """The matrix of each cell, -1 if the code is missing; without layers, each column has its own."""
    own = np.broadcast_to(np.arange(codes.shape[1]), codes.shape) if layers is None else layers
    return np.where(codes < 0, -1, own).astype(np.int64)


def _shown(
    masked: Codes, layers: Ints | None, matrices: Sequence[Floats]
) -> tuple[Ints, Ints, tuple[Floats, Ints, Ints, Ints]]:
    """Codes and matrices of the released cells, and the matrices stacked."""
    shown, layer = masked.astype(np.int64), _layers(masked, layers)
    return shown, layer, _stacked(matrices, shown, layer)


def _stacked(matrices: Sequence[Floats], shown: Ints, layer: Ints) -> tuple[Floats, Ints, Ints, Ints]:
    """Logarithms of all matrices, concatenated; the start, number of columns and number of rows of each.

    Each has one extra row: the overall frequencies of its released codes.
    """
    parts = []
    for number, matrix in enumerate(matrices):
        counts = np.bincount(shown[layer == number], minlength=matrix.shape[1]).astype(np.float64)
        parts.append(np.vstack([matrix, counts / max(counts.sum(), 1.0)]))
    widths = np.array([part.shape[1] for part in parts], dtype=np.int64)
    sizes = np.array([part.size for part in parts], dtype=np.int64)
    flat = np.concatenate([part.ravel() for part in parts]) if parts else np.zeros(0)
    logs = np.log(flat, where=flat > 0, out=np.full(flat.shape, -np.inf))
    return logs, np.cumsum(sizes) - sizes, widths, sizes // np.maximum(widths, 1) - 1


@jit
def _log_chance(
    codes: Ints,
    layers: Ints,
    k: int,
    shown: Ints,
    layer: Ints,
    i: int,
    logs: Floats,
    begins: Ints,
    widths: Ints,
    ends: Ints,
) -> float:
    """Log probability that original k is released as record i."""
    value = 0.0
    for j in range(shown.shape[1]):
        one, other = layers[k, j], layer[i, j]
        if other < 0:
            continue
        if one >= 0 and one != other:
            return -np.inf
        row = codes[k, j] if one >= 0 else ends[other]
        value += logs[begins[other] + row * widths[other] + shown[i, j]]
    return value


@jit
def _fill(
    codes: Ints,
    layers: Ints,
    first: Ints,
    last: Ints,
    shown: Ints,
    layer: Ints,
    logs: Floats,
    begins: Ints,
    widths: Ints,
    ends: Ints,
    cells: Floats,
) -> None:
    for i in range(len(shown)):
        for k in range(first[i], last[i]):
            value = _log_chance(codes, layers, k, shown, layer, i, logs, begins, widths, ends)
            cells[i, k] = max(value, IMPOSSIBLE)


@jit
def _weigh(
    codes: Ints,
    layers: Ints,
    copies: Floats,
    first: Ints,
    last: Ints,
    shown: Ints,
    layer: Ints,
    own: Ints,
    logs: Floats,
    begins: Ints,
    widths: Ints,
    ends: Ints,
    truth: Floats,
    largest: Floats,
    hit: Floats,
) -> None:
    for i in range(len(shown)):
        peak, total, ties, mine = -np.inf, 0.0, 0.0, -np.inf
        for k in range(first[i], last[i]):
            value = _log_chance(codes, layers, k, shown, layer, i, logs, begins, widths, ends)
            if value == -np.inf:
                continue
            if value > peak + 1e-9:
                total *= np.exp(peak - value)
                peak, ties = value, 0.0
            if value >= peak - 1e-9:
                ties += copies[k]
            total += copies[k] * np.exp(value - peak)
            if k == own[i]:
                mine = value
        if total > 0.0:
            largest[i] = 1.0 / total
        if mine > -np.inf:
            truth[i] = np.exp(mine - peak) / total
            hit[i] = 1.0 / ties if mine >= peak - 1e-9 else 0.0


@jit
def _add_up(
    codes: Ints,
    layers: Ints,
    copies: Floats,
    first: Ints,
    last: Ints,
    shown: Ints,
    layer: Ints,
    logs: Floats,
    begins: Ints,
    widths: Ints,
    ends: Ints,
    fraction: float,
    stay: Floats,
    others: Floats,
) -> None:
    for i in range(len(shown)):
        kept = 0.0
        for j in range(shown.shape[1]):
            if layer[i, j] >= 0:
                kept += logs[begins[layer[i, j]] + shown[i, j] * widths[layer[i, j]] + shown[i, j]]
        present = False
        for k in range(first[i], last[i]):
            chance = np.exp(_log_chance(codes, layers, k, shown, layer, i, logs, begins, widths, ends))
            if chance > 0.0:
                others[i] += copies[k] * chance / (1.0 - fraction * chance) if fraction * chance < 1.0 else np.inf
            same = True
            for j in range(shown.shape[1]):
                same &= layers[k, j] == layer[i, j] and codes[k, j] == shown[i, j]
            present |= same
        stay[i] = np.exp(kept) if present else 0.0
