"""Restore suppressed values that neither k look-alikes nor different sensitive values require."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.wildcards import count_matches
from ammg.kernels.jit import jit, jit_part
from ammg.kernels.plain import Budget, plain
from ammg.kernels.suppression.give_back import (
    category_numbers,
    find_pivot,
    index_rows,
    suppressed_values,
)

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_budget = Budget(0.5)  # about what compiling takes


def give_back_diverse(
    base: Codes,
    values: Codes,
    masses: Floats,
    k: int,
    sensitive: Sequence[Codes],
    least: Sequence[int],
    combinations: Sequence[Sequence[int]],
    costs: Floats,
) -> Codes:
    """The values after restoring those that nobody needs to be suppressed; arguments as in `give_back`, `diversify`."""
    values = values.copy()
    rows, keys = suppressed_values(base, values, costs)
    sizes = category_numbers(base)
    widths = np.array([max(1, int(label.max(initial=-1)) + 1) for label in sensitive], np.int64)
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(widths)])
    labels = np.stack(
        [np.where(label < 0, -1, start + label) for label, start in zip(sensitive, first, strict=False)], 1
    )
    tallies = np.stack([_tallies(values, masses, labels, int(first[-1]), sizes, c) for c in combinations])
    involved = np.zeros((len(combinations), base.shape[1]), np.bool_)
    for place, combination in enumerate(combinations):
        involved[place, list(combination)] = True
    seconds = 0.5e-6 * rows.size * tallies[:, :, 0].size
    work = plain(_give_back) if _budget.allows(_give_back, seconds) else _give_back
    work(
        base, values, masses, tallies, involved, rows, keys, k, labels.astype(np.int64), first,
        np.array(least, np.int64), *index_rows(values, sizes),
    )  # fmt: skip
    return values


def _tallies(
    values: Codes, masses: Floats, labels: Ints, n_labels: int, sizes: Sequence[int], keys: Sequence[int]
) -> Floats:
    """For each row, its number of look-alikes, then how many of them have each sensitive value."""
    columns = [np.ascontiguousarray(values[:, key]) for key in keys]
    bounds = [sizes[key] for key in keys]
    found = np.empty((len(values), n_labels + 1))
    found[:, 0] = count_matches(columns, bounds, masses)[1]
    for label in range(n_labels):
        has = np.where((labels == label).any(axis=1), masses, 0.0)
        found[:, label + 1] = count_matches(columns, bounds, has)[1]
    return found


@jit
def _give_back(
    base: Codes,
    values: Codes,
    masses: Floats,
    tallies: Floats,
    involved: NDArray[np.bool_],
    rows: Ints,
    keys: Ints,
    k: int,
    labels: Ints,
    first: Ints,
    least: Ints,
    places: NDArray[np.int32],
    starts: Ints,
) -> None:
    own = np.zeros(tallies.shape[2])
    for number in range(rows.size):
        row, key = rows[number], keys[number]
        safe = True
        for turn in range(2 * involved.shape[0]):
            combination, write = turn % involved.shape[0], turn >= involved.shape[0]
            if safe and involved[combination, key]:
                safe &= _visit(
                    base, values, masses, tallies[combination], own, involved[combination], row, key, k, labels, first,
                    least, places, starts, write,
                )  # fmt: skip
        if safe:
            values[row, key] = base[row, key]


@jit_part
def _visit(
    base: Codes,
    values: Codes,
    masses: Floats,
    tallies: Floats,
    own: Floats,
    here: NDArray[np.bool_],
    row: int,
    key: int,
    k: int,
    labels: Ints,
    first: Ints,
    least: Ints,
    places: NDArray[np.int32],
    starts: Ints,
    write: bool,
) -> bool:
    """Whether all keep enough if a value of a row is restored; with `write`, update the tallies."""
    pivot, fewest = find_pivot(values, row, key, here, starts)
    own[:] = tallies[row]
    for number in range(fewest):
        other = number
        if pivot >= 0:
            begin = starts[pivot, values[row, pivot] + 1]
            equal = fewest - starts[pivot, 1]
            other = places[pivot, begin + number if number < equal else number - equal]
        theirs = values[other, key]
        if other == row or theirs < 0 or theirs == base[row, key] or not _is_alike(values, row, other, key, here):
            continue
        _take(own, labels[other], masses[other])
        if write:
            _take(tallies[other], labels[row], masses[row])
        elif not _has_enough(tallies[other], masses[row], labels[row], k, first, least):
            return False
    if write:
        tallies[row] = own
        return True
    nobody = masses[row] - masses[row]
    return _has_enough(own, nobody, labels[row], k, first, least)


@jit_part
def _take(tally: Floats, labels: Ints, mass: float) -> None:
    """Subtract look-alikes with these labels."""
    tally[0] -= mass
    for label in labels:
        if label >= 0:
            tally[label + 1] -= mass


@jit_part
def _has_enough(tally: Floats, less: float, labels: Ints, k: int, first: Ints, least: Ints) -> bool:
    """Whether look-alikes are enough, and different enough, without `less` records with these labels."""
    if tally[0] - less < k:
        return False
    for a in range(least.size):
        different = 0
        for label in range(first[a], first[a + 1]):
            different += tally[label + 1] - (less if labels[a] == label else 0.0) > 0.5
        if different < least[a]:
            return False
    return True


@jit_part
def _is_alike(values: Codes, row: int, other: int, key: int, here: NDArray[np.bool_]) -> bool:
    for j in range(values.shape[1]):
        if (
            here[j]
            and j != key
            and values[row, j] >= 0
            and values[other, j] >= 0
            and values[row, j] != values[other, j]
        ):
            return False
    return True
