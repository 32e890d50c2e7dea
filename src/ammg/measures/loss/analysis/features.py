"""Both files as features of a model: numbers in original standard deviations, categories as indicators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.kernels.threads import in_threads
from ammg.measures.loss.tables.tables_in_memory import TablesInMemory

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_RECORDS = 100_000
"""Models are fitted on at most so many records of either file, evenly spaced."""
MOST_CATEGORIES = 20
"""The most frequent categories of an attribute get an indicator of their own, the others none."""


@dataclass(frozen=True, eq=False)
class Features:
    """The same columns for both files; a missing number is set to the mean, a missing category to no indicator."""

    names: tuple[str, ...]
    """What each column is."""
    attributes: tuple[str, ...]
    """Of which attribute."""
    before: Floats
    after: Floats

    def of(self, attributes: tuple[str, ...]) -> Features:
        """The columns of some attributes, in this order."""
        places = [place for name in attributes for place, own in enumerate(self.attributes) if own == name]
        names, owners = (tuple(told[place] for place in places) for told in (self.names, self.attributes))
        # Linear algebra rounds by the layout of its arrays: whatever was chosen, rows are contiguous.
        return Features(names, owners, *(np.ascontiguousarray(side[:, places]) for side in (self.before, self.after)))


def features(pair: Pair, columns: tuple[str, ...], rows: Ints, masked: Ints) -> Features:
    """Features of some original and some masked records; columns that do not vary in the original are left out."""

    def own(name: str) -> list[tuple[str, str, Floats, Floats]]:
        made = _of_number if pair.original.schema[name].is_numeric else _of_category
        return [(label, name, before, after) for label, before, after in made(pair, name, rows, masked)]

    found = [column for made in in_threads(own, columns, pair.n * len(columns)) for column in made]
    names, attributes, before, after = zip(*found, strict=True) if found else ((), (), (), ())
    sides = [
        np.column_stack(side) if names else np.zeros((len(at), 0)) for side, at in ((before, rows), (after, masked))
    ]
    return Features(names, attributes, *sides)


def modelled(pair: Pair, names: tuple[str, ...] | None) -> tuple[str, ...]:
    """The named attributes, or all that an analyst gets, as far as models can use them."""
    schema = pair.original.schema
    chosen = tuple(n for n in (names or pair.analysed()) if schema[n].is_numeric or schema[n].is_categorical)
    if not chosen:
        raise NotDefined("no attribute that a model can use")
    return chosen


def spaced(records: int) -> Ints:
    """Positions of the records that models see."""
    if records <= MOST_RECORDS:
        return np.arange(records)
    return np.linspace(0, records - 1, MOST_RECORDS).astype(np.int64)


def _of_number(pair: Pair, name: str, rows: Ints, masked: Ints) -> list[tuple[str, Floats, Floats]]:
    before, after = pair.original_column(name), pair.released_column(name)
    observed = before[~np.isnan(before)]
    if not len(observed) or observed.min() == observed.max():
        return []
    centre, spread = observed.mean(), observed.std()
    some = before[rows], after[masked]
    first, second = (np.nan_to_num((side - centre) / spread) for side in some)
    found = [(name, first, second)]
    if len(observed) < len(before) or np.isnan(after).any():
        first, second = (np.isnan(side).astype(np.float64) for side in some)
        found.append((f"{name} missing", first, second))
    return found


def _of_category(pair: Pair, name: str, rows: Ints, masked: Ints) -> list[tuple[str, Floats, Floats]]:
    tables = TablesInMemory((name,), pair, 10, weighted=False)
    coded, made = tables.coded(name), tables.transition(name)
    counts = np.bincount(coded.before[coded.before >= 0], minlength=coded.size)
    frequent = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
    frequent = frequent[counts[frequent] > 0]
    shared = np.zeros((coded.classes + 1, coded.size))
    shared[made.classes, made.categories] = 1 / made.members[made.classes]
    before, after = coded.before[rows], coded.after[masked]
    # The most frequent category is what the others are compared with.
    return [
        (f"{name} {rank}", (before == code).astype(np.float64), shared[after, code])
        for rank, code in enumerate(frequent[1:].tolist(), start=2)
    ]
