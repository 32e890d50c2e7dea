"""Choose which records lose which values so that every record has k look-alikes, at low cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.cells import ordered_keys
from ammg.kernels.anonymity.wildcards import count_matches
from ammg.kernels.suppression.covers import cover_unsafe_cells
from ammg.kernels.suppression.give_back import give_back
from ammg.kernels.suppression.look_alikes import MOST_KEYS
from ammg.kernels.suppression.refine import LARGEST_TABLE, improve_suppressions

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Suppressed:
    """`counts[i]` records of cell `cells[i]` lose the keys of the bit mask `patterns[i]`; sorted by cell."""

    cells: Ints
    patterns: Ints
    counts: Ints


def suppress_cells(
    codes: Codes,
    counts: Ints,
    k: int,
    costs: Floats,
    prices: Floats,
    combinations: Sequence[Sequence[int]],
    rounds: int,
    rng: np.random.Generator,
) -> Suppressed:
    """Suppress values until every record has k look-alikes on every combination of keys; missing matches every value.

    Combinations are treated one after the other: a suppression for one helps all that share the key. The search for a
    cheaper solution is skipped for tables of more than 2,048 cells or 12 keys.

    Args:
        codes: Cells × keys, -1 missing.
        counts: Records per cell.
        k: Least number of look-alikes.
        costs: Cost of suppressing each key; infinite for one that may not be suppressed.
        prices: Factor by which the cost is multiplied for a record of each cell.
        combinations: Positions of keys that are known together.
        rounds: How many times the search tries to improve the solution of each combination.
        rng: Generator of the search.
    """
    rows, patterns, records = np.arange(counts.size), np.zeros(counts.size, np.int64), counts.copy()
    for number, combination in enumerate(combinations):
        keys = np.array(combination, np.int64)
        values = _suppressed(codes[rows][:, keys], patterns, keys)
        distinct, place = _distinct_rows(values)
        totals = np.bincount(place, records, len(distinct)).astype(np.int64)
        paid = np.bincount(place, records * prices[rows], len(distinct)) / totals
        cells, found = _suppress(distinct, totals, k, costs[keys], paid, rounds, rng, len(combinations) - number)
        masks = np.zeros(found.size, np.int64)
        for bit, key in enumerate(keys.tolist()):
            masks |= (found >> bit & 1) << key
        rows, patterns, records = _split(rows, patterns, records, place, cells, masks)
    return _cleaned(codes, rows, patterns, records, k, combinations, costs)


def _suppress(
    codes: Codes,
    counts: Ints,
    k: int,
    costs: Floats,
    prices: Floats,
    rounds: int,
    rng: np.random.Generator,
    calls: int,
) -> tuple[Ints, Ints]:
    columns = [np.ascontiguousarray(column) for column in codes.T]
    sizes = [max(1, int(column.max(initial=-1)) + 1) for column in columns]
    _, frequencies = count_matches(columns, sizes, counts.astype(np.float64))
    if not np.any(frequencies < k):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    chosen = cover_unsafe_cells(codes, counts, frequencies, k, costs, prices)
    if len(counts) > LARGEST_TABLE or codes.shape[1] > MOST_KEYS:
        return chosen
    return improve_suppressions(codes, counts, k, costs, prices, chosen, rounds, rng, calls)


def _split(rows: Ints, patterns: Ints, records: Ints, place: Ints, cells: Ints, masks: Ints) -> tuple[Ints, Ints, Ints]:
    """Rows after single records of their cells (`place`) have lost the keys of `masks`."""
    by_cell, by_place = np.lexsort((masks, cells)), np.argsort(place, kind="stable")
    cells, masks = cells[by_cell], masks[by_cell]
    rank = np.arange(cells.size) - np.searchsorted(cells, cells)  # position of the record within its cell
    ends = np.cumsum(records[by_place])
    begin = (ends - records[by_place])[np.searchsorted(place[by_place], cells)]
    taken = by_place[np.searchsorted(ends, begin + rank, side="right")]
    pairs, many = _distinct_pairs(taken, patterns[taken] | masks)
    left = records - np.bincount(taken, minlength=records.size)
    some = left > 0
    return (
        np.concatenate([rows[some], rows[pairs[:, 0]]]),
        np.concatenate([patterns[some], pairs[:, 1]]),
        np.concatenate([left[some], many]),
    )


def _cleaned(
    codes: Codes,
    rows: Ints,
    patterns: Ints,
    records: Ints,
    k: int,
    combinations: Sequence[Sequence[int]],
    costs: Floats,
) -> Suppressed:
    single = np.repeat(np.flatnonzero(patterns), records[patterns != 0])
    order = np.concatenate([np.flatnonzero(patterns == 0), single])
    base = codes[rows[order]]
    values = _suppressed(base, patterns[order], np.arange(codes.shape[1]))
    masses = np.where(patterns[order] == 0, records[order], 1).astype(np.float64)
    after = give_back(base, values, masses, k, combinations, costs)
    lost = ((after < 0) & (base >= 0)) @ (np.int64(1) << np.arange(codes.shape[1], dtype=np.int64))
    some = lost != 0
    pairs, many = _distinct_pairs(rows[order][some], lost[some])
    return Suppressed(pairs[:, 0], pairs[:, 1], many)


def _distinct_rows(values: Codes) -> tuple[Codes, Ints]:
    """The distinct rows in lexicographic order, and the place of each row among them."""
    keys, _ = ordered_keys([np.ascontiguousarray(column) for column in values.T], len(values))
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return values[first], place


def _distinct_pairs(one: Ints, two: Ints) -> tuple[Ints, Ints]:
    """The distinct pairs in lexicographic order, and their frequencies."""
    order = np.lexsort((two, one))
    pairs = np.stack([one[order], two[order]], axis=1)
    starts = np.flatnonzero(np.append(True, np.any(pairs[1:] != pairs[:-1], axis=1))[: len(pairs)])
    return pairs[starts], np.diff(np.append(starts, len(pairs)))


def _suppressed(codes: Codes, patterns: Ints, keys: Ints) -> Codes:
    """Rows of codes without the values that their patterns suppress."""
    return np.where(patterns[:, None] >> keys & 1, np.int32(-1), codes)
