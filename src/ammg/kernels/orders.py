"""Orders of values and of records: the answers of `np.argsort` and `np.lexsort`, found sooner in long columns.

Long columns are sorted digit by digit, 16 bits at a time, which numpy does without comparing values. Where numpy sorts
with vector instructions, values are packed into one number each with their rows, and those numbers are sorted. Every
order is stable, so that columns can be sorted one after the other, the least significant first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.columns import extent, pieces
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Bits = NDArray[np.uint64]

_FEW = 4096  # values up to which comparing costs no more than sorting by digits
_MOST_PACKED = 1 << 52  # whole numbers up to this are exact
_SIGN = np.int64(-(2**63))
_LAST = np.uint64(2**64 - 1)
_DIGIT = 16
_BLOCK = 1 << 15  # rows at a time


def stable_order(values: NDArray[Any]) -> Ints:
    """The same as `np.argsort(values, kind="stable")` for numbers of any type."""
    if len(values) <= _FEW:
        return np.argsort(values, kind="stable")
    values = _in_64_bits(values)
    if values.dtype == np.float64:
        return _order(_bits_of_floats(values))
    return _order((values ^ _SIGN).view(np.uint64) if values.dtype == np.int64 else values)


def _in_64_bits(values: NDArray[Any]) -> NDArray[Any]:
    wide = {"f": np.float64, "u": np.uint64}.get(values.dtype.kind, np.int64)
    return values.astype(wide, copy=False)


def _bits_of_floats(values: Floats) -> Bits:
    """Unsigned integers in the order of the values; missing ones come last and are equal."""
    bits = (values + 0.0).view(np.int64)  # -0.0 + 0.0 is 0.0
    keys = (bits ^ ((bits >> 63) | _SIGN)).view(np.uint64)
    missing = np.isnan(values)
    if missing.any():
        keys[missing] = _LAST
    return keys


def _order(keys: Bits) -> Ints:
    varying = int(np.bitwise_or.reduce(keys ^ keys[0]))
    shifts = [shift for shift in range(0, 64, _DIGIT) if varying >> shift & 0xFFFF]
    return _packed_with_rows(keys) if len(shifts) > 2 and _sorts_with_vectors() else _by_digits(keys, shifts)


def _by_digits(keys: Bits, shifts: Sequence[int]) -> Ints:
    order = None
    for shift in shifts:
        digits = (keys >> np.uint64(shift)).astype(np.uint16)
        order = np.argsort(digits, kind="stable") if order is None else order[np.argsort(digits[order], kind="stable")]
    return np.arange(len(keys)) if order is None else order


def _packed_with_rows(keys: Bits) -> Ints:
    """Sort the leading bits of the keys with the rows behind them; keys that differ in the other bits are put right."""
    least = keys.min()
    bits = (len(keys) - 1).bit_length()
    rest = max(int(keys.max() - least).bit_length() + bits - 64, 0)
    packed = keys - least
    packed >>= np.uint64(rest)
    packed <<= np.uint64(bits)
    packed |= np.arange(len(keys), dtype=np.uint64)
    packed.sort()
    order: Ints = (packed & np.uint64((1 << bits) - 1)).view(np.int64)
    if rest:
        ordered = keys[order]
        if np.any(ordered[1:] < ordered[:-1]):
            packed >>= np.uint64(bits)
            tied = np.zeros(len(keys) + 1, dtype=bool)
            tied[1:-1] = packed[1:] == packed[:-1]
            within = np.flatnonzero(tied[:-1] | tied[1:])
            order[within] = order[within][np.argsort(ordered[within], kind="stable")]
    return order


@cache
def _sorts_with_vectors() -> bool:
    """Whether numpy sorts 64-bit numbers with vector instructions here: if not, it takes 15 times as long as a digit.

    The answer decides about speed alone: both ways find the same order.
    """
    numbers = np.random.default_rng(0).integers(0, 1 << 62, 1 << 13)
    digits = numbers.astype(np.uint16)
    return _seconds(lambda: np.sort(numbers)) < 6 * _seconds(lambda: np.argsort(digits, kind="stable"))


def _seconds(work: Callable[[], object]) -> float:
    taken = []
    for _ in range(5):
        start = perf_counter()
        work()
        taken.append(perf_counter() - start)
    return min(taken)


def dense_ranks(values: NDArray[Any]) -> Ints:
    """Number the distinct values from 0 in increasing order; missing ones share the last number."""
    order = stable_order(values)
    first = np.ones(len(values), dtype=bool)
    first[1:] = ~_same(values[order])
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[order] = np.cumsum(first) - 1
    return ranks


def run_starts(ordered: NDArray[Any]) -> Ints:
    """Where runs of equal values begin; every missing value is a run of its own."""
    return np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])


def lexical_order(columns: Sequence[NDArray[Any]], rows: int) -> tuple[Ints, Bools]:
    """The order given by `np.lexsort` with the first column most significant, and which rows equal the one before.

    Columns are floats or integers; neighbouring ones of whole numbers are sorted as one. Later columns are used only
    where the first leave ties. Missing values come last and count as equal.
    """
    others = (key for key, _ in _sort_keys([_in_64_bits(column) for column in columns]))
    first = next(others, None)
    if first is None or not rows:
        return np.arange(rows), np.arange(rows) > 0
    order = stable_order(first)
    tied = np.zeros(rows + 1, dtype=bool)
    tied[1:-1] = _same(first[order])
    within = np.flatnonzero(tied[:-1] | tied[1:])
    rest = list(others) if len(within) else []
    if rest and 2 * len(within) > rows and first.dtype == np.float64:
        ranks = np.empty(rows, dtype=np.int64)
        ranks[order] = np.cumsum(~tied[:rows])
        return lexical_order([ranks, *rest], rows)  # ranks are whole numbers, sorted as one with the others
    for key in rest:  # most often, the first of them leaves few ties
        runs, chosen = np.cumsum(~tied[:-1][within]), order[within]
        key = key[chosen]
        sorted_within = _order_by([runs, key])
        order[within] = chosen[sorted_within]
        tied[within[1:]] &= _same(key[sorted_within])
        within = within[tied[within] | tied[within + 1]]
        if not len(within):
            break
    return order, tied[:rows]


def equal_rows(columns: Sequence[NDArray[Any]], rows: int) -> Ints:
    """Number the rows in lexical order, equal ones alike: without sorting where there are few possible rows."""
    keys = _sort_keys([_in_64_bits(column) for column in columns])
    key, bound = next(keys, (np.empty(0, dtype=np.int64), 0))
    if rows and bound and next(keys, None) is None:
        size = bound if bound <= 4 * rows else int(key.max()) + 1
        if size <= 4 * rows:
            return _numbered(key, size)
    order, tied = lexical_order(columns, rows)
    numbers = np.empty(rows, dtype=np.int64)
    numbers[order] = np.cumsum(~tied) - 1
    return numbers


def _numbered(key: NDArray[Any], size: int) -> Ints:
    """The place of each number below `size` among those that occur."""
    occurs, numbers = np.zeros(size, dtype=bool), np.empty(len(key), dtype=np.int64)

    def mark(start: int, stop: int) -> None:  # several threads may write the same True
        occurs[key[start:stop]] = True

    def look_up(start: int, stop: int) -> None:
        np.take(places, key[start:stop], out=numbers[start:stop], mode="clip")

    over_blocks(mark, len(key), block=_BLOCK, brief=True)
    places = np.cumsum(occurs) - 1
    over_blocks(look_up, len(key), block=_BLOCK, brief=True)
    return numbers


def first_rows(numbers: Ints) -> Ints:
    """The first row of each number; every number from 0 to the greatest occurs."""
    first = np.empty(int(numbers.max(initial=-1)) + 1, dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return first


def _order_by(keys: Sequence[NDArray[Any]]) -> Ints:
    """The order by several keys, the first most significant."""
    order = stable_order(keys[-1])
    for key in reversed(keys[:-1]):
        order = order[stable_order(key[order])]
    return order


class _Places(NamedTuple):
    """Whole numbers, the smallest one, and how many are possible; among floats, the last is for missing values."""

    values: NDArray[Any]
    first: int
    width: int


def _sort_keys(columns: Sequence[NDArray[Any]]) -> Iterator[tuple[NDArray[Any], int]]:
    """Arrays that order the rows as their columns do; neighbouring columns of whole numbers in small ranges are one.

    Each comes with an upper bound: keys of whole numbers lie between 0 and bound - 1; 0 means other values.
    """
    group: list[_Places] = []
    bound = 1
    for column, places in zip(columns, in_threads(_places, columns, sum(map(len, columns))), strict=True):
        if group and (places is None or bound * places.width > _MOST_PACKED):
            yield _joined(group), bound
            group, bound = [], 1
        if places is None:
            yield np.ascontiguousarray(column), 0
        else:
            group.append(places)
            bound *= places.width
    if group:
        yield _joined(group), bound


def _joined(group: Sequence[_Places]) -> Ints:
    """One number for each row, counted from 0, that orders as those of all columns do."""
    keys = np.empty(len(group[0].values), dtype=np.int64)

    def work(start: int, stop: int) -> None:
        mine = keys[start:stop]
        np.subtract(group[0].values[start:stop], group[0].first, out=mine, dtype=np.int64)
        for values, first, width in group[1:]:
            mine *= width
            mine += values[start:stop]
            mine -= first

    over_blocks(work, len(keys), block=_BLOCK, brief=True)
    return keys


def _places(column: NDArray[Any]) -> _Places | None:
    """The values as whole numbers; None if there are others."""
    if column.dtype != np.float64:
        first, last = (int(column.min()), int(column.max())) if len(column) else (0, 0)
        width = last - first + 1
        if width > _MOST_PACKED:
            return None
        if column.dtype == np.uint64:
            column, first = (column - np.uint64(first)).astype(np.int64), 0
        return _Places(column, first, width)
    if not _is_whole(column[:1000]):
        return None
    small = _as_small(column)
    if small is not None:
        first, last = int(small.min()), int(small.max())
        return _Places(small, first, last - first + 2)
    least, greatest = extent(column)
    if least > greatest:  # nothing but missing values
        return _Places(np.zeros(len(column), dtype=np.int64), 0, 1)
    if not -_MOST_PACKED < least <= greatest < _MOST_PACKED or greatest - least > _MOST_PACKED - 2:
        return None
    width = int(greatest - least) + 2
    places = np.empty(len(column), dtype=np.int64)
    for part in pieces(len(column)):
        values = column[part]
        if not _is_whole(values):
            return None
        missing = np.isnan(values)
        places[part] = np.where(missing, width - 1, values - least) if missing.any() else values - least
    return _Places(places, 0, width)


def _as_small(column: Floats) -> NDArray[np.int32] | None:
    """The same whole numbers in 32 bits; None if there are others, or missing ones."""
    small = np.empty(len(column), dtype=np.int32)
    with np.errstate(invalid="ignore"):
        for part in pieces(len(column)):
            small[part] = column[part]
            if not np.array_equal(small[part], column[part]):
                return None
    return small if len(small) else None


def _is_whole(values: Floats) -> bool:
    return bool(((np.floor(values) == values) | np.isnan(values)).all())


def _same(ordered: NDArray[Any]) -> Bools:
    before, after = ordered[:-1], ordered[1:]
    same: Bools = before == after
    return same | (np.isnan(before) & np.isnan(after)) if ordered.dtype == np.float64 else same
