"""Find the rows of a small table in large columns of codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.hashing import EMPTY, mix
from ammg.kernels.jit import jit, jit_part

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]

_NOWHERE = -1  # number of a record with a value that no row has
_FEW = 2048  # up to this many records, numpy is faster than compiling a kernel
_DENSE = 1 << 20  # combinations up to which a plain array is faster than a hash table


def find_rows(table: Codes, columns: Sequence[Codes]) -> Ints:
    """The row of `table` equal to each record, -1 if there is none; the rows of the table are distinct."""
    rows, numbers = np.zeros(len(table), np.int64), np.zeros(columns[0].size, np.int64)
    bound = 1
    for place, column in enumerate(columns):
        own = np.ascontiguousarray(table[:, place])
        least, radix = int(own.min(initial=0)), int(own.max(initial=0)) - int(own.min(initial=0)) + 1
        if bound * radix >= 2**62:  # replace the numbers by their positions among those of the table
            known = np.unique(rows)
            rows, numbers = np.searchsorted(known, rows), _positions(known, numbers)
            bound = known.size
        rows = rows * radix + own - least
        numbers = _appended(numbers, np.ascontiguousarray(column), least, radix)
        bound *= radix
    if 0 < len(table) <= _FEW and numbers.size <= _FEW:
        order = np.argsort(rows)
        places = _positions(rows[order], numbers)
        return np.where(places >= 0, order[places], EMPTY)
    found = np.empty(numbers.size, np.int64)
    if bound <= max(_DENSE, 4 * len(table)):
        _find_dense(rows, numbers, np.full(bound, EMPTY, np.int32), found)
        return found
    capacity = 16
    while capacity < 2 * len(table):
        capacity *= 2
    _find_hashed(rows, numbers, np.full(capacity, EMPTY, np.int64), found)
    return found


def _positions(known: Ints, numbers: Ints) -> Ints:
    place = np.minimum(np.searchsorted(known, numbers), known.size - 1)
    return np.where(known[place] == numbers, place, _NOWHERE)


def _appended(numbers: Ints, column: Codes, least: int, radix: int) -> Ints:
    """Numbers with one more digit; a digit outside 0 .. radix-1 makes a number -1."""
    if numbers.size > _FEW:
        _append(numbers, column, least, radix)
        return numbers
    digits = column.astype(np.int64) - least
    known = (numbers >= 0) & (digits >= 0) & (digits < radix)
    return np.where(known, numbers * radix + digits, _NOWHERE)


@jit
def _append(numbers: Ints, column: Codes, least: int, radix: int) -> None:
    """Append the digits in place."""
    for i in range(numbers.size):
        digit = column[i] - least
        if numbers[i] >= 0:
            numbers[i] = numbers[i] * radix + digit if 0 <= digit < radix else _NOWHERE


@jit
def _find_dense(rows: Ints, numbers: Ints, slots: NDArray[np.int32], found: Ints) -> None:
    for row in range(rows.size):
        slots[rows[row]] = row
    for record in range(numbers.size):
        found[record] = slots[numbers[record]] if numbers[record] >= 0 else EMPTY


@jit
def _find_hashed(rows: Ints, numbers: Ints, slots: Ints, found: Ints) -> None:
    for row in range(rows.size):
        slots[_slot(rows, rows[row], slots)] = row
    for record in range(numbers.size):
        found[record] = slots[_slot(rows, numbers[record], slots)] if numbers[record] >= 0 else EMPTY


@jit_part
def _slot(rows: Ints, number: int, slots: Ints) -> np.int64:
    """The slot of the row with a number, or the empty slot where it belongs."""
    mask = slots.size - 1
    slot = np.int64(mix(np.int64(number)) & np.uint64(mask))
    while slots[slot] != EMPTY and rows[slots[slot]] != number:
        slot = (slot + 1) & mask
    return slot
