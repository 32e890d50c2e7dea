"""Both files as features of a model: numbers in original standard deviations, categories as indicators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.measures.loss.tables.tables_in_memory import TablesInMemory

Floats = NDArray[np.float64]

MOST_RECORDS = 100_000
"""Models are fitted on at most so many records of either file, evenly spaced."""
MOST_CATEGORIES = 20
"""The most frequent categories of an attribute get an indicator of their own, the others none."""


@dataclass(frozen=True, eq=False)
class Features:
    """The same columns for both files; a missing number is set to the mean, a missing category to no indicator."""

    names: tuple[str, ...]
    """What each column is."""
    before: Floats
    after: Floats


def features(pair: Pair, columns: tuple[str, ...], rows: NDArray[np.int64], masked: NDArray[np.int64]) -> Features:
    """Features of some original and some masked records; columns that do not vary in the original are left out."""
    names, before, after = [], [], []
    for name in columns:
        own = _of_number if pair.original.schema[name].is_numeric else _of_category
        for label, first, second in own(pair, name):
            names.append(label)
            before.append(first[rows])
            after.append(second[masked])
    size = len(names)
    sides = [
        np.column_stack(side) if size else np.zeros((len(at), 0)) for side, at in ((before, rows), (after, masked))
    ]
    return Features(tuple(names), *sides)


def modelled(pair: Pair, names: tuple[str, ...] | None) -> tuple[str, ...]:
    """The named attributes, or all that an analyst gets, as far as models can use them."""
    schema = pair.original.schema
    chosen = tuple(n for n in (names or pair.analysed()) if schema[n].is_numeric or schema[n].is_categorical)
    if not chosen:
        raise NotDefined("no attribute that a model can use")
    return chosen


def spaced(records: int) -> NDArray[np.int64]:
    """Positions of the records that models see."""
    if records <= MOST_RECORDS:
        return np.arange(records)
    return np.linspace(0, records - 1, MOST_RECORDS).astype(np.int64)


def _of_number(pair: Pair, name: str) -> list[tuple[str, Floats, Floats]]:
    before, after = pair.originals([name])[:, 0], pair.released([name])[:, 0]
    observed = before[~np.isnan(before)]
    if not len(observed) or observed.min() == observed.max():
        return []
    centre, spread = observed.mean(), observed.std()
    sides = [np.nan_to_num((side - centre) / spread) for side in (before, after)]
    found = [(name, sides[0], sides[1])]
    if np.isnan(before).any() or np.isnan(after).any():
        found.append((f"{name} missing", *(np.isnan(side).astype(np.float64) for side in (before, after))))  # type: ignore[arg-type]
    return found


def _of_category(pair: Pair, name: str) -> list[tuple[str, Floats, Floats]]:
    tables = TablesInMemory((name,), pair, 10, weighted=False)
    coded, made = tables.coded(name), tables.transition(name)
    counts = np.bincount(coded.before[coded.before >= 0], minlength=coded.size)
    frequent = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
    frequent = frequent[counts[frequent] > 0]
    shared = np.zeros((coded.classes + 1, coded.size))
    shared[made.classes, made.categories] = 1 / made.members[made.classes]
    # The most frequent category is what the others are compared with.
    return [
        (f"{name} {rank}", (coded.before == code).astype(np.float64), shared[coded.after, code])
        for rank, code in enumerate(frequent[1:].tolist(), start=2)
    ]
