"""Suppress further values until the look-alikes of every record have enough different sensitive values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.wildcards import count_matches
from ammg.kernels.suppression.give_back_diverse import give_back_diverse

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def diversify(
    codes: Codes,
    counts: Ints,
    suppressed: tuple[Ints, Ints, Ints],
    k: int,
    sensitive: Sequence[Codes],
    least: Sequence[int],
    combinations: Sequence[Sequence[int]],
    costs: Floats,
) -> tuple[tuple[Ints, Ints, Ints], int]:
    """Cells, patterns and numbers of records that lose values, and how many records still lack different values.

    Records whose look-alikes have too few values lose one key after the other: the key after which they have most
    values, then the cheapest. A missing key matches every value, so nobody loses a look-alike. Unnecessary suppressions
    are undone, the most expensive first.

    Args:
        codes: Cells × keys, -1 missing.
        counts: Records per cell; records of a cell have the same sensitive values.
        suppressed: Cells, patterns and numbers of records that already lose values.
        k: Least number of look-alikes.
        sensitive: The sensitive values of each cell as codes, one array per attribute.
        least: How many different values of each attribute the look-alikes must have.
        combinations: Positions of keys that are known together.
        costs: Cost of suppressing each key; infinite for one that may not be suppressed.
    """
    cells, patterns, records = suppressed
    left = counts - np.bincount(cells, records, counts.size).astype(np.int64)
    rows = np.concatenate([np.flatnonzero(left), cells])
    masses = np.concatenate([left[left > 0], records])
    lost = np.concatenate([np.zeros(np.count_nonzero(left), np.int64), patterns])
    bits = np.arange(codes.shape[1], dtype=np.int64)
    values = np.where(lost[:, None] >> bits & 1 == 1, np.int32(-1), codes[rows])
    labels = [column[rows] for column in sensitive]
    free = np.isfinite(costs)
    while True:
        bad = np.flatnonzero(_lacking(values, values, labels, least, combinations) > 0)
        row, key = np.nonzero((values[bad] >= 0) & free)
        if not row.size:
            break
        asked = values[bad[row]]
        asked[np.arange(row.size), key] = -1
        lacking = _lacking(values, asked, labels, least, combinations)
        order = np.lexsort((key, costs[key], lacking, row))
        first = order[np.append(True, np.diff(row[order]) > 0)]
        values[bad[row[first]], key[first]] = -1
    if bad.size:
        return suppressed, int(masses[bad].sum())
    whole = (values >= 0).all(axis=1) | (values == codes[rows]).all(axis=1)
    origin = np.concatenate([np.flatnonzero(whole), np.repeat(np.flatnonzero(~whole), masses[~whole])])
    single = np.where(whole[origin], masses[origin], 1)
    base, shown = codes[rows[origin]], values[origin]
    kept = [np.ascontiguousarray(label[origin]) for label in labels]
    shown = give_back_diverse(base, shown, single.astype(np.float64), k, kept, least, combinations, costs)
    gone = ((shown < 0) & (base >= 0)) @ (np.int64(1) << bits)
    some = gone != 0
    pairs, place = np.unique(np.stack([rows[origin][some], gone[some]], axis=1), axis=0, return_inverse=True)
    many = np.bincount(place.reshape(-1), single[some], len(pairs)).astype(np.int64)
    return (pairs[:, 0], pairs[:, 1], many), 0


def _lacking(
    values: Codes, asked: Codes, labels: Sequence[Codes], least: Sequence[int], combinations: Sequence[Sequence[int]]
) -> Ints:
    """How many values the look-alikes of each given row lack, over all attributes and combinations."""
    together = np.concatenate([values, asked])
    lacking = np.zeros(len(asked), np.int64)
    for combination in combinations:
        columns = [np.ascontiguousarray(together[:, key]) for key in combination]
        sizes = [int(column.max(initial=0)) + 1 for column in columns]
        for label, wanted in zip(labels, least, strict=True):
            found = np.zeros(len(asked), np.int64)
            for value in np.unique(label[label >= 0]).tolist():
                has = np.concatenate([(label == value).astype(np.float64), np.zeros(len(asked))])
                found += count_matches(columns, sizes, has)[1][len(values) :] > 0.5
            lacking += np.maximum(0, wanted - found)
    return lacking
