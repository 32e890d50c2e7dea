"""Who is behind a record whose categories were changed at random with published probabilities?

PRAM discloses P(released | original) for every column. The likelihood of each original given a released record is a
product over columns, so Bayes' rule inverts the mask. Equal originals are collapsed, and only those are looked at that
agree on what was not changed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.jit import jit
from ammg.kernels.noise.noise_posterior import Posterior

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Codes = NDArray[np.int32]


def transition_posterior(
    original: Codes,
    masked: Codes,
    origin: Ints,
    matrices: Sequence[Floats],
    unchanged: tuple[Ints, Ints] | None = None,
) -> Posterior:
    """Posterior over all originals, equally probable before, for each masked record.

    `matrices[j][a, b]` is the probability that code a of column j is released as b. A missing code (-1) on either side
    says nothing. `unchanged` has a number for each original and each masked record; only equal ones may belong
    together.
    """
    key, masked_key = unchanged or (np.zeros(len(original), dtype=np.int64), np.zeros(len(masked), dtype=np.int64))
    rows, cell = np.unique(np.column_stack([key, original]), axis=0, return_inverse=True)
    cell = cell.reshape(-1)
    copies = np.bincount(cell, minlength=len(rows)).astype(np.float64)
    first = np.searchsorted(rows[:, 0], masked_key, side="left")
    last = np.searchsorted(rows[:, 0], masked_key, side="right")
    own = np.where(origin >= 0, cell[origin] if len(cell) else 0, -1)
    logs = _stack(matrices)
    codes, shown = np.ascontiguousarray(rows[:, 1:]), masked.astype(np.int64)
    result = Posterior(np.zeros(len(masked)), np.zeros(len(masked)), np.zeros(len(masked)))

    def work(start: int, stop: int) -> None:
        span = slice(start, stop)
        outs = [values[span] for values in result]
        _weigh(codes, copies, first[span], last[span], shown[span], own[span], logs, *outs)

    over_blocks(work, len(masked))
    return result


def _stack(matrices: Sequence[Floats]) -> Floats:
    """Logarithms of all matrices in one array; the code -1 points to a last row or column of zeros."""
    size = 1 + max((max(matrix.shape) for matrix in matrices), default=0)
    padded = np.ones((len(matrices), size, size))
    for j, matrix in enumerate(matrices):
        padded[j, : matrix.shape[0], : matrix.shape[1]] = matrix
    return np.log(padded, where=padded > 0, out=np.full(padded.shape, -np.inf))


@jit
def _weigh(
    codes: Ints,
    copies: Floats,
    first: Ints,
    last: Ints,
    shown: Ints,
    own: Ints,
    logs: Floats,
    truth: Floats,
    largest: Floats,
    hit: Floats,
) -> None:
    columns = shown.shape[1]
    for i in range(len(shown)):
        peak, total, ties, mine = -np.inf, 0.0, 0.0, -np.inf
        for k in range(first[i], last[i]):
            value = 0.0
            for j in range(columns):
                value += logs[j, codes[k, j], shown[i, j]]
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
