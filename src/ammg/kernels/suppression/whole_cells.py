"""Suppression if a missing value is not a full look-alike: a category of its own, or counted in part.

Suppressing a value then takes a look-alike away from others, so equal records lose the same keys, one key after the
other, until nobody has fewer than k look-alikes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.cells import count_cells
from ammg.kernels.anonymity.wildcards import count_matches
from ammg.kernels.suppression.give_back import give_back

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def suppress_whole_cells(
    codes: Codes,
    counts: Ints,
    k: int,
    costs: Floats,
    prices: Floats,
    combinations: Sequence[Sequence[int]],
    doubtful: float | None,
) -> tuple[Ints, Ints, Ints]:
    """Cells, patterns and numbers of records that lose values; `doubtful` None makes missing a category of its own.

    At least k records must be able to become look-alikes; see `suppress_cells` for the other arguments.
    """
    values, masses = codes.copy(), counts.astype(np.float64)
    sizes = [max(1, int(column.max(initial=-1)) + 1) for column in codes.T]
    free = np.isfinite(costs)
    while True:
        least = _least(values, masses, values, np.zeros(len(values)), sizes, combinations, doubtful)
        bad = np.flatnonzero(least < k)
        if not bad.size:
            break
        row, key = np.nonzero((values[bad] >= 0) & free)
        if not row.size:
            _blank_cheapest(values, free, costs, masses * prices)
            continue
        asked = values[bad[row]]
        asked[np.arange(row.size), key] = -1
        moving = masses[bad[row]] if doubtful is None else np.zeros(row.size)
        reached = _least(values, masses, asked, moving, sizes, combinations, doubtful)
        worth = np.minimum(1.0, reached / k) / costs[key]
        order = np.lexsort((key, -worth, row))
        first = order[np.append(True, np.diff(row[order]) > 0)]
        values[bad[row[first]], key[first]] = -1
    if doubtful is None:
        return _grouped(np.arange(len(codes)), codes, _restored(codes, values, counts, k, combinations, costs), counts)
    lost = np.any((values < 0) & (codes >= 0), axis=1)
    origin = np.concatenate([np.flatnonzero(~lost), np.repeat(np.flatnonzero(lost), counts[lost])])
    single = np.where(lost[origin], 1, counts[origin])
    after = give_back(codes[origin], values[origin], single.astype(np.float64), k, combinations, costs, doubtful)
    return _grouped(origin, codes[origin], after, single)


def fewest_look_alikes(codes: Codes, counts: Ints, keys: Sequence[int], doubtful: float | None) -> Floats:
    """The number of look-alikes of the records of each cell on some keys; without keys, all records."""
    if not keys:
        return np.full(len(codes), float(counts.sum()))
    sizes = [max(1, int(column.max(initial=-1)) + 1) for column in codes.T]
    return _least(codes, counts.astype(np.float64), codes, np.zeros(len(codes)), sizes, [keys], doubtful)


def _least(
    values: Codes,
    masses: Floats,
    asked: Codes,
    moving: Floats,
    sizes: Sequence[int],
    combinations: Sequence[Sequence[int]],
    doubtful: float | None,
) -> Floats:
    """The fewest look-alikes of each given row, over all combinations; given rows count with the records that move."""
    together, weights = np.concatenate([values, asked]), np.concatenate([masses, moving])
    least = np.full(len(asked), np.inf)
    for combination in combinations:
        columns = [np.ascontiguousarray(together[:, key]) for key in combination]
        bounds = [sizes[key] for key in combination]
        if doubtful is None:
            cells = count_cells(columns, bounds, n=len(together))
            found = cells.sums(weights)[cells.index]
        else:
            _, found = count_matches(columns, bounds, weights, doubtful)
        least = np.minimum(least, found[len(values) :])
    return least


def _blank_cheapest(values: Codes, free: NDArray[np.bool_], costs: Floats, prices: Floats) -> None:
    """If too few records are without any key, blank one more cell."""
    known = (values >= 0) & free
    price = np.where(known, np.where(free, costs, 0.0), 0.0).sum(axis=1) * prices
    cheapest = int(np.argmin(np.where(known.any(axis=1), price, np.inf)))
    values[cheapest, free] = -1


def _restored(
    codes: Codes, values: Codes, counts: Ints, k: int, combinations: Sequence[Sequence[int]], costs: Floats
) -> Codes:
    """Restore values if the class a record joins, and the one it leaves, then have k records or none."""
    values = values.copy()
    classes = [Counter[bytes]() for _ in combinations]
    for row, mass in zip(values, counts.tolist(), strict=True):
        for found, combination in zip(classes, combinations, strict=True):
            found[row[list(combination)].tobytes()] += mass
    for row in np.flatnonzero(np.any((values < 0) & (codes >= 0), axis=1)).tolist():
        mass = int(counts[row])
        for key in sorted(np.flatnonzero((values[row] < 0) & (codes[row] >= 0)).tolist(), key=lambda j: -costs[j]):
            after = values[row].copy()
            after[key] = codes[row, key]
            moves = [
                (found, values[row][list(c)].tobytes(), after[list(c)].tobytes())
                for found, c in zip(classes, combinations, strict=True)
                if key in c
            ]
            if all(f[new] + mass >= k and (f[old] - mass == 0 or f[old] - mass >= k) for f, old, new in moves):
                for found, old, new in moves:
                    found[old] -= mass
                    found[new] += mass
                values[row] = after
    return values


def _grouped(origin: Ints, before: Codes, after: Codes, records: Ints) -> tuple[Ints, Ints, Ints]:
    patterns = ((after < 0) & (before >= 0)) @ (np.int64(1) << np.arange(before.shape[1], dtype=np.int64))
    some = patterns != 0
    pairs, place = np.unique(np.stack([origin[some], patterns[some]], axis=1), axis=0, return_inverse=True)
    return pairs[:, 0], pairs[:, 1], np.bincount(place, records[some], len(pairs)).astype(np.int64)
