"""Draw a new category for each record from its transition probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_SURE = 2.0  # above every uniform number


class Steps(NamedTuple):
    """Transition matrices of several groups, one row per category of a group, laid out for drawing."""

    stay: Floats
    """Probability of each row to stay."""
    first: Ints
    """The first row of the group of each row."""
    size: Ints
    """The number of rows of that group."""
    offset: Ints
    """The start of the row's entries in `cumulative`."""
    cumulative: Floats
    """Probability of staying or changing to one of the categories up to this one."""

    @classmethod
    def of(cls, matrices: Sequence[Floats]) -> Steps:
        """From one matrix per group, in the order of the rows."""
        sizes = np.array([len(matrix) for matrix in matrices], dtype=np.int64)
        size = np.repeat(sizes, sizes)
        first = np.repeat(np.cumsum(sizes) - sizes, sizes)
        offset = np.cumsum(size) - size
        stays = [np.diagonal(matrix) for matrix in matrices]
        parts = [_cumulated(matrix) for matrix in matrices]
        return cls(
            np.concatenate(stays) if stays else np.zeros(0),
            first,
            size,
            offset,
            np.concatenate([part.ravel() for part in parts]) if parts else np.zeros(0),
        )


def change_rows(rows: NDArray[np.int32], uniforms: Floats, steps: Steps) -> NDArray[np.int32]:
    """The new row of each record by inversion of its distribution; a row of -1 stays -1."""
    out = np.empty(len(rows), dtype=np.int32)
    _change(rows, uniforms, *steps, out)
    return out


def _cumulated(matrix: Floats) -> Floats:
    others = matrix.copy()
    np.fill_diagonal(others, 0.0)
    sums = np.diagonal(matrix)[:, None] + np.cumsum(others, axis=1)
    # Rounding may leave the last sum below 1: the last reachable category takes the rest.
    last = len(matrix) - 1 - np.argmax(others[:, ::-1] > 0, axis=1)
    sums[np.arange(len(matrix))[None, :] >= last[:, None]] = _SURE
    return np.ascontiguousarray(sums)


@jit
def _change(
    rows: NDArray[np.int32],
    uniforms: Floats,
    stay: Floats,
    first: Ints,
    size: Ints,
    offset: Ints,
    cumulative: Floats,
    out: NDArray[np.int32],
) -> None:
    for i in range(len(rows)):
        row = rows[i]
        if row < 0 or uniforms[i] < stay[row]:
            out[i] = row
            continue
        low, high, begin = 0, size[row] - 1, offset[row]
        while low < high:
            middle = (low + high) // 2
            if cumulative[begin + middle] > uniforms[i]:
                high = middle
            else:
                low = middle + 1
        out[i] = first[row] + low
