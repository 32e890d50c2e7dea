"""Restore suppressed values that nobody needs to be suppressed, until no single one can be restored any more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.wildcards import count_matches
from ammg.kernels.jit import jit, jit_part
from ammg.kernels.plain import Budget, plain

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_budget = Budget(0.5)  # about what compiling takes


def give_back(
    base: Codes,
    values: Codes,
    masses: Floats,
    k: int,
    combinations: Sequence[Sequence[int]],
    costs: Floats,
    doubtful: float = 1.0,
) -> Codes:
    """The values after restoring those that nobody needs to be suppressed.

    Args:
        base: Rows × keys, the values before suppression.
        values: The same after suppression; -1 missing.
        masses: Records per row; a row with suppressed values is one record.
        k: Least number of look-alikes on each combination of keys.
        combinations: Positions of keys.
        costs: Cost of suppressing each key; the most expensive are restored first.
        doubtful: Weight of a look-alike that lacks one of the keys; see `count_matches`.
    """
    rows, keys = suppressed_values(base, values, costs)
    values = values.copy()
    asked = values[rows]
    asked[np.arange(rows.size), keys] = base[rows, keys]
    together = np.concatenate([values, asked])
    sizes = category_numbers(base)
    frequencies = np.zeros((len(combinations), len(values)))
    possible = np.ones(rows.size, np.bool_)
    involved = np.zeros((len(combinations), base.shape[1]), np.bool_)
    weights = np.concatenate([masses, np.zeros(rows.size)])
    for place, combination in enumerate(combinations):
        columns = [np.ascontiguousarray(together[:, key]) for key in combination]
        _, found = count_matches(columns, [sizes[key] for key in combination], weights, doubtful)
        frequencies[place] = found[: len(values)]
        involved[place, list(combination)] = True
        # Restoring only takes look-alikes away: a record with too few now will have too few later. In `found` the
        # record counts itself as suppressed; with its value restored it would count itself in full.
        enough = found[len(values) :] + (1.0 - doubtful) >= k
        possible &= enough | ~involved[place, keys]
    order = np.argsort([-size for size in sizes], kind="stable").astype(np.int64)  # most categories first
    rows, keys = rows[possible], keys[possible]
    seconds = 0.25e-6 * rows.size * frequencies.size
    work = plain(_give_back) if _budget.allows(_give_back, seconds) else _give_back
    work(base, values, masses, frequencies, involved, rows, keys, k, doubtful, order, *index_rows(values, sizes))
    return values


def suppressed_values(base: Codes, values: Codes, costs: Floats) -> tuple[Ints, Ints]:
    """Rows and keys of the suppressed values, the most expensive first."""
    rows, keys = np.nonzero((values < 0) & (base >= 0))
    order = np.lexsort((rows, -costs[keys]))
    return rows[order], keys[order]


def category_numbers(base: Codes) -> list[int]:
    """The number of categories of each key, at least one."""
    return [max(1, int(column.max(initial=-1)) + 1) for column in base.T]


def index_rows(values: Codes, sizes: Sequence[int]) -> tuple[NDArray[np.int32], Ints]:
    """For each key, the rows sorted by its value, missing first, and where each value starts.

    A row whose value is restored stays among the missing, which every search includes.
    """
    places = np.stack([np.argsort(column, kind="stable") for column in values.T]).astype(np.int32)
    starts = np.zeros((values.shape[1], max(sizes) + 2), np.int64)
    for key, column in enumerate(values.T):
        starts[key] = np.searchsorted(np.sort(column), np.arange(-1, max(sizes) + 1))
    return places, starts


@jit
def _give_back(
    base: Codes,
    values: Codes,
    masses: Floats,
    frequencies: Floats,
    involved: NDArray[np.bool_],
    rows: Ints,
    keys: Ints,
    k: int,
    doubtful: float,
    order: Ints,
    places: NDArray[np.int32],
    starts: Ints,
) -> None:
    for number in range(rows.size):
        row, key = rows[number], keys[number]
        safe = True
        for turn in range(2 * involved.shape[0]):
            combination, write = turn % involved.shape[0], turn >= involved.shape[0]
            if safe and involved[combination, key]:
                safe &= _visit(
                    base, values, masses, frequencies, involved[combination], combination, row, key, k, doubtful, order,
                    places, starts, write,
                )  # fmt: skip
        if safe:
            values[row, key] = base[row, key]


@jit_part
def _visit(
    base: Codes,
    values: Codes,
    masses: Floats,
    frequencies: Floats,
    here: NDArray[np.bool_],
    combination: int,
    row: int,
    key: int,
    k: int,
    doubtful: float,
    order: Ints,
    places: NDArray[np.int32],
    starts: Ints,
    write: bool,
) -> bool:
    """Whether all have k look-alikes if a value of a row is restored; with `write`, update the frequencies."""
    pivot, fewest = find_pivot(values, row, key, here, starts)
    own = frequencies[combination, row]
    for number in range(fewest):
        other = number
        if pivot >= 0:  # rows with the same value first: most of those that would be left with too few are there
            first = starts[pivot, values[row, pivot] + 1]
            equal = fewest - starts[pivot, 1]
            other = places[pivot, first + number if number < equal else number - equal]
        theirs = values[other, key]
        same = theirs < 0 or theirs == base[row, key]
        if other == row or masses[other] == 0.0 or (doubtful == 1.0 and same):
            continue
        relation = _compare(values, row, other, key, here, order)
        if relation < 0:
            continue
        change, own_change = _changes(theirs, base[row, key], relation, doubtful)
        own += masses[other] * own_change
        if write:
            frequencies[combination, other] += change
        elif change < 0.0 and frequencies[combination, other] + change < k:
            return False
    if write:
        frequencies[combination, row] = own
    return bool(own >= k)


@jit_part
def find_pivot(values: Codes, row: int, key: int, here: NDArray[np.bool_], starts: Ints) -> tuple[int, int]:
    """The other key on which fewest rows can be look-alikes of a row, and their number; -1 and all rows without one."""
    pivot, fewest = -1, values.shape[0]
    for j in range(values.shape[1]):
        if here[j] and j != key and values[row, j] >= 0:
            value = values[row, j] + 1
            many = starts[j, 1] + starts[j, value + 1] - starts[j, value]
            if many < fewest:
                pivot, fewest = j, many
    return pivot, fewest


@jit_part
def _changes(theirs: int, value: int, relation: int, doubtful: float) -> tuple[float, float]:
    """Changes in the look-alikes of another row, and in one's own per record of it, if one's value is restored."""
    row_lacks, other_lacks = relation & 1 == 1, relation & 2 == 2
    if theirs < 0:
        return 0.0, 0.0 if other_lacks else doubtful - 1.0
    if theirs == value:
        return 0.0 if row_lacks else 1.0 - doubtful, 0.0
    return -doubtful, -doubtful if other_lacks else -1.0


@jit_part
def _compare(values: Codes, row: int, other: int, key: int, here: NDArray[np.bool_], order: Ints) -> int:
    """-1 if two rows differ on another key; else 1 if the row lacks one that the other has, plus 2 for the reverse."""
    relation = 0
    for j in order:
        if here[j] and j != key:
            one, two = values[row, j], values[other, j]
            if one >= 0 and two >= 0:
                if one != two:
                    return -1
            elif one < 0 <= two:
                relation |= 1
            elif two < 0 <= one:
                relation |= 2
    return relation
