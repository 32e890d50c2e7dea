"""How many people each released record can stand for after local recoding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import match_categories
from ammg.data.pair import Pair

Bools = NDArray[np.bool_]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]

MOST_PAIRS = 2e9  # of combinations in the two files


def people_held(pair: Pair, names: Sequence[str], codes: Sequence[Codes], sizes: Sequence[int]) -> Floats:
    """How many original records fit the intervals and classes of each released record; a missing value fits any.

    `codes` are those of the released file. If there are too many combinations to compare, nobody is counted: the number
    of released records in the class is used then, and the risk is too high rather than too low.
    """
    from ammg.kernels.anonymity.cells import count_cells

    held = [_held(pair, name) for name in names]
    shown = count_cells(codes, sizes)
    people = count_cells([before for _, before in held], [table.shape[1] for table, _ in held])
    if float(len(shown)) * len(people) > MOST_PAIRS:
        return np.zeros(pair.t)
    classes = [column[shown.first] for column in codes]
    values = [before[people.first] for _, before in held]
    found = np.zeros(len(shown))
    block = max(1, 4_000_000 // max(1, len(people)))
    for start in range(0, len(shown), block):
        rows = slice(start, start + block)
        fits = np.ones((len(found[rows]), len(people)), np.bool_)
        for (table, _), mine, theirs in zip(held, classes, values, strict=True):
            fits &= table[mine[rows]][:, theirs]
        found[rows] = fits @ people.frequencies[people.first].astype(np.float64)
    return found[shown.index]


def _held(pair: Pair, name: str) -> tuple[Bools, Codes]:
    """Released categories × values of the original, the last of each missing: what can be what; and who has which."""
    before, values = pair.recoded(name)
    shown = pair.codes(name, masked=True)[1]
    told = pair.value_sets(name)
    if told is None:
        table = match_categories(shown, values)[:, None] == np.arange(len(values))
    else:
        table = told.holding(values)[match_categories(shown, told.after)]
    whole = np.ones((table.shape[0] + 1, table.shape[1] + 1), np.bool_)
    whole[:-1, :-1] = table
    return whole, before
