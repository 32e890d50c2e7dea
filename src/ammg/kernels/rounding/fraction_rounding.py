"""Round a matrix of fractions to zeros and ones without bias, with row and column sums to neighbouring integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import MINUS_ONE, jit

Floats = NDArray[np.float64]

WHOLE = 1e-9
"""A fraction this close to 0 or 1 counts as whole."""


def round_fractions(fractions: Floats, rng: np.random.Generator) -> NDArray[np.int8]:
    """Round each entry p of [0, 1] to 1 with probability p; row, column and grand sums go to neighbouring integers.

    Cox (1987): slack margins make all sums whole, then alternating cycles of fractional entries are shifted up or
    down by the largest possible step, with the probabilities that keep every expectation, until none is left.
    """
    if fractions.size and not ((fractions >= 0) & (fractions <= 1)).all():
        raise ValueError("Fractions must lie between 0 and 1.")
    rows, columns = fractions.sum(axis=1), fractions.sum(axis=0)
    padded = np.zeros((fractions.shape[0] + 1, fractions.shape[1] + 1))
    padded[:-1, :-1] = fractions
    padded[:-1, -1] = _slack(rows)
    padded[-1, :-1] = _slack(columns)
    padded[-1, -1] = 1.0 - _slack(fractions.sum())
    _settle(padded, rng.random(padded.size))  # one draw per cycle, and each cycle settles at least one entry
    return np.rint(padded[:-1, :-1]).astype(np.int8)


def _slack(sums: Floats) -> Floats:
    missing = np.ceil(sums - WHOLE) - sums
    return np.clip(missing, 0.0, 1.0)


@jit
def _is_open(value: float) -> bool:
    return value > 1e-9 and value < 1.0 - 1e-9


@jit
def _other_open(values: Floats, first: int, second: int, used: int) -> tuple[int, int, int]:
    """Move two pointers along a line to its first two open entries; return them and the one that is not `used`.

    A whole entry stays whole, so the pointers only advance and all searches together read each line once.
    """
    size = len(values)
    while first < size and not _is_open(values[first]):
        first += 1
    second = max(second, first + 1)
    while second < size and not _is_open(values[second]):
        second += 1
    chosen = second if first == used else first
    return first, second, chosen if chosen < size else -1


@jit
def _settle(table: Floats, uniforms: Floats) -> None:
    """Shift cycles until no entry is open, in place."""
    rows, columns = table.shape
    row_first, row_second = np.zeros(rows, np.int64), np.zeros(rows, np.int64)
    column_first, column_second = np.zeros(columns, np.int64), np.zeros(columns, np.int64)
    row_step, column_step = np.full(rows, -1), np.full(columns, -1)  # the path cell through which a line was left
    path_row, path_column = np.empty(2 * (rows + columns), np.int64), np.empty(2 * (rows + columns), np.int64)
    drawn = 0
    for start in range(rows):
        while True:
            # Walk along rows and columns in turn, over open entries, until a line repeats.
            length, closed = 0, -1
            row, column = start, MINUS_ONE
            while True:
                if row_step[row] >= 0:
                    closed = row_step[row]
                    break
                row_step[row] = length
                row_first[row], row_second[row], following = _other_open(
                    table[row], row_first[row], row_second[row], column
                )
                if following < 0:
                    break
                column = following
                path_row[length], path_column[length] = row, column
                length += 1
                if column_step[column] >= 0:
                    closed = column_step[column]
                    break
                column_step[column] = length
                column_first[column], column_second[column], following = _other_open(
                    table[:, column], column_first[column], column_second[column], row
                )
                if following < 0:
                    break
                row = following
                path_row[length], path_column[length] = row, column
                length += 1
            row_step[row] = -1
            for step in range(length):
                row_step[path_row[step]] = -1
                column_step[path_column[step]] = -1
            if closed < 0:
                if length == 0:
                    break
                # Rounding errors left a single open entry in a line with a whole sum: it is whole as well.
                i, j = path_row[length - 1], path_column[length - 1]
                table[i, j] = np.rint(table[i, j])
                continue
            _shift(table, path_row[closed:length], path_column[closed:length], uniforms[drawn])
            drawn += 1


@jit
def _shift(table: Floats, rows: NDArray[np.int64], columns: NDArray[np.int64], uniform: float) -> None:
    """Raise every other entry of a cycle and lower the rest, or vice versa, by the largest step possible."""
    up, down = 1.0, 1.0
    for step in range(len(rows)):
        value = table[rows[step], columns[step]]
        if step % 2 == 0:
            up, down = min(up, 1.0 - value), min(down, value)
        else:
            up, down = min(up, value), min(down, 1.0 - value)
    change = up if uniform * (up + down) < down else -down
    for step in range(len(rows)):
        table[rows[step], columns[step]] += change if step % 2 == 0 else -change
