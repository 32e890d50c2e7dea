"""Find the rows of a small table in large columns of codes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.hashing import EMPTY, mix
from ammg.kernels.jit import jit, jit_part

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]


def find_rows(table: Codes, columns: Sequence[Codes]) -> Ints:
    """The row of `table` that each record equals, -1 where there is none; rows of the table are distinct."""
    records = np.empty((columns[0].size, len(columns)), np.int32)
    for place, column in enumerate(columns):
        records[:, place] = column
    capacity = 16
    while capacity < 2 * len(table):
        capacity *= 2
    found = np.empty(len(records), np.int64)
    _find_rows(np.ascontiguousarray(table), records, np.full(capacity, EMPTY, np.int64), found)
    return found


@jit
def _find_rows(table: Codes, records: Codes, slots: Ints, found: Ints) -> None:
    for row in range(table.shape[0]):
        slots[_slot(table, table, row, slots)] = row
    for record in range(records.shape[0]):
        found[record] = slots[_slot(table, records, record, slots)]


@jit_part
def _slot(table: Codes, records: Codes, record: int, slots: Ints) -> np.int64:
    """The slot of the row that equals a record, or the empty slot where it belongs."""
    key = np.uint64(0)
    for place in range(records.shape[1]):
        key = np.uint64(mix(np.int64(key) + np.int64(records[record, place]) + 2))
    mask = slots.size - 1
    slot = np.int64(key & np.uint64(mask))
    while slots[slot] != EMPTY:
        same = True
        for place in range(records.shape[1]):
            if table[slots[slot], place] != records[record, place]:
                same = False
                break
        if same:
            break
        slot = (slot + 1) & mask
    return slot
