"""Open-addressing hash tables on 64-bit keys: number equal keys without sorting them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.jit import jit

EMPTY = -1
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)  # the finaliser of splitmix64: every key bit reaches every slot bit
_MIX_2 = np.uint64(0x94D049BB133111EB)
_30, _27, _31 = np.uint64(30), np.uint64(27), np.uint64(31)


@jit
def mix(key: np.int64) -> np.uint64:
    """Spread a 64-bit key over all 64 bits (Steele, Lea and Flood 2014, splitmix64)."""
    h = np.uint64(key)
    h = (h ^ (h >> _30)) * _MIX_1
    h = (h ^ (h >> _27)) * _MIX_2
    return h ^ (h >> _31)


@jit
def number_keys(keys: NDArray[np.int64], capacity: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Number distinct keys 0, 1, 2, ... in order of first appearance.

    `capacity` is the initial size of the table, a power of two; the table grows when it is half full, so that
    files with few distinct keys stay in the processor's cache.

    Returns the number of each key and the position of the first appearance of each number.
    """
    numbers = np.empty(keys.size, np.int32)
    first = np.empty(keys.size, np.int64)
    slots = np.full(capacity, EMPTY, np.int32)
    held = np.empty(capacity, np.int64)
    found = 0
    for i in range(keys.size):
        key = keys[i]
        slot = _find(held, slots, key)
        if slots[slot] != EMPTY:
            numbers[i] = slots[slot]
            continue
        slots[slot] = found
        held[slot] = key
        first[found] = i
        numbers[i] = found
        found += 1
        if 2 * found > slots.size:
            slots = np.full(4 * slots.size, EMPTY, np.int32)
            held = np.empty(slots.size, np.int64)
            for number in range(found):
                slot = _find(held, slots, keys[first[number]])
                slots[slot] = number
                held[slot] = keys[first[number]]
    return numbers, first[:found].copy()


@jit
def number_small_keys(keys: NDArray[np.int64], bound: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """As `number_keys`, for keys in 0 .. bound-1, with a table of `bound` slots and no hashing."""
    numbers = np.empty(keys.size, np.int32)
    first = np.empty(min(keys.size, bound), np.int64)
    slots = np.full(bound, EMPTY, np.int32)
    found = 0
    for i in range(keys.size):
        number = slots[keys[i]]
        if number == EMPTY:
            number = found
            slots[keys[i]] = number
            first[found] = i
            found += 1
        numbers[i] = number
    return numbers, first[:found].copy()


@jit
def _find(held: NDArray[np.int64], slots: NDArray[np.int32], key: np.int64) -> np.uint64:
    """The slot that holds the key, or the empty slot where it belongs."""
    mask = np.uint64(slots.size - 1)
    slot = mix(key) & mask
    while slots[slot] != EMPTY and held[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot
