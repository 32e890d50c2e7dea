"""Changes of categories with exact frequencies: whole transition counts, then a random choice of the members."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.orders import lexical_order, stable_order
from ammg.kernels.rounding.fraction_rounding import round_fractions

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def whole_counts(matrix: Floats, counts: Ints, rng: np.random.Generator) -> Ints:
    """Transition counts with row sums T and column sums as close to T R as whole numbers allow, without bias.

    Controlled random rounding (Cox 1987) of T_i r_ij; for an invariant matrix the column sums are T again.
    """
    expected = matrix * counts[:, None]
    lower = np.floor(expected + 1e-9)
    rounded = lower.astype(np.int64) + round_fractions(np.clip(expected - lower, 0.0, 1.0), rng)
    place = np.arange(len(counts))
    rounded[place, place] += counts - rounded.sum(axis=1)
    _settle_columns(rounded, counts @ matrix, matrix)
    return rounded


def _settle_columns(rounded: Ints, wanted: Floats, matrix: Floats) -> None:
    """Correct, in place, column sums that should be whole and are off by one because of rounding in a product."""
    whole = np.rint(wanted)
    sure = np.abs(wanted - whole) <= 1e-6 * np.maximum(wanted, 1.0)
    if not sure.all():
        return
    lacking = whole.astype(np.int64) - rounded.sum(axis=0)
    while (lacking > 0).any() and (lacking < 0).any():
        surplus, short = int(np.argmin(lacking)), int(np.argmax(lacking))
        row = int(np.argmax(np.where(matrix[:, short] > 0, rounded[:, surplus], 0)))
        if rounded[row, surplus] < 1:
            return
        rounded[row, surplus] -= 1
        rounded[row, short] += 1
        lacking[surplus] += 1
        lacking[short] -= 1


def change_exactly(codes: NDArray[np.int32], matrix: Floats, rng: np.random.Generator) -> NDArray[np.int32]:
    """New codes: from each category, as many randomly chosen members change to each other one as the counts say."""
    counts = np.bincount(codes, minlength=len(matrix)).astype(np.int64)
    moves = whole_counts(matrix, counts, rng)
    members = stable_order(codes)
    order, _ = lexical_order([codes[members], rng.random(len(codes))], len(codes))
    targets = np.repeat(np.tile(np.arange(len(matrix), dtype=np.int32), len(matrix)), moves.ravel())
    out = np.empty(len(codes), dtype=np.int32)
    out[members[order]] = targets
    return out
