"""What the losses of categories share: the categories of both files in one form, and the tables that they span."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import joined
from ammg.data.pair import Pair
from ammg.data.published import Recoding
from ammg.kernels.loss.tables import cross_counts, spread_classes
from ammg.summaries.folded_pair import FoldedPair
from ammg.summaries.pair_tables import PairTables, TableCounts

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Names = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Transition:
    """What became of the categories of one attribute.

    A release may show classes of several categories; what an analyst then knows of a record is the class.
    """

    joint: Floats
    """Originals by category (rows) and released class (columns); last the missing, and those that are gone."""
    own: Ints
    """The class that stands for each category, -1 if it became missing."""
    classes: Ints
    categories: Ints
    """Class `classes[i]` may stand for `categories[i]`."""

    @property
    def size(self) -> int:
        """Categories of the original."""
        return len(self.own)

    @cached_property
    def members(self) -> Ints:
        """How many categories each class may stand for."""
        return np.bincount(self.classes, minlength=self.joint.shape[1] - 1)

    @property
    def observed(self) -> Floats:
        """The originals that were not missing."""
        return self.joint[:-1]

    def in_categories(self, table: Floats, axis: int) -> Floats:
        """A table of released classes as one of original categories."""
        return spread_classes(table, axis, self.classes, self.categories, self.size)


def transition(joint: Floats, own: Ints, named: bool) -> Transition:
    """The transition that counts show.

    Unless a recoding is `named`, classes that share no name with a category were merged by a step that does not say
    how: then they stand for what they were released for.
    """
    classes = joint.shape[1] - 1
    kept = np.bincount(own[own >= 0], minlength=classes) > 0
    shown = joint[:-1, :-1]
    if not named and not shown[:, kept].any() and shown.any():
        own = np.where(shown.any(axis=1), shown.argmax(axis=1), -1)
    known = np.flatnonzero(own >= 0)
    pairs = [(own[known], known)]
    for strange in np.flatnonzero(np.bincount(own[known], minlength=classes) == 0).tolist():
        found = np.flatnonzero(shown[:, strange]) if shown[:, strange].any() else np.arange(len(own))
        pairs.append((np.full(len(found), strange), found))
    return Transition(joint, own, *(np.concatenate(side).astype(np.int64) for side in zip(*pairs, strict=True)))


@dataclass(frozen=True, eq=False)
class TableComparison(ABC):
    """Tables before and after masking, made once for all measures of a pair."""

    names: Names

    @abstractmethod
    def transition(self, name: str) -> Transition:
        """What became of the categories of an attribute."""

    @abstractmethod
    def raw(self, names: Names) -> tuple[Floats, Floats]:
        """The tables of both files, the masked one by released classes."""

    def tables(self, names: Names) -> tuple[Floats, Floats]:
        """The tables of both files in original categories; the last entry of every axis is for missing values."""
        before, after = self.raw(names)
        for axis, name in enumerate(names):
            after = self.transition(name).in_categories(after, axis)
        return before, after

    def cells(self, names: Names) -> int:
        """Cells of the table that some attributes span."""
        return int(np.prod([self.transition(name).size + 1 for name in names], dtype=np.float64))


class Coded(NamedTuple):
    """Codes of one attribute in both files, -1 for missing."""

    before: Codes
    after: Codes
    size: int
    """Categories or bands of the original."""
    classes: int
    """Classes that are released."""
    own: Ints
    """The class that stands for each category, -1 if it became missing."""
    named: bool
    """Whether it is published which class stands for a category."""


@dataclass(frozen=True, eq=False)
class TablesInMemory(TableComparison):
    """Of files in memory; numbers are cut at quantiles of the original."""

    pair: Pair
    bands: int
    weighted: bool

    def coded(self, name: str) -> Coded:
        """Codes of an attribute in both files."""
        return self.pair.once((TablesInMemory, name, self.bands), lambda: self._coded(name))

    def _coded(self, name: str) -> Coded:
        pair = self.pair
        if pair.original.schema[name].is_numeric:
            before, edges = _banded(pair.originals([name])[:, 0], self.bands)
            size = len(edges) + 1
            released = pair.released([name])[:, 0]
            if name not in pair.masked.schema or not np.isnan(released).all() or pair.masked.schema[name].is_numeric:
                return Coded(before, _in_bands(released, edges), size, size, np.arange(size), True)
        else:
            before, categories = pair.codes(name, masked=False)
            size = len(categories)
        recoded, after, common = pair.common_codes(name)
        own = np.full(size, -1, dtype=np.int64)
        seen = before >= 0
        own[before[seen]] = recoded[seen]
        return Coded(before, after, size, len(common), own, bool(pair.recodings(name)))

    def transition(self, name: str) -> Transition:
        """From the records."""
        return self.pair.once(("transition", name, self.bands, self.weighted), lambda: self._transition(name))

    def _transition(self, name: str) -> Transition:
        coded = self.coded(name)
        found = np.full(self.pair.n, -1, dtype=np.int32)
        real = self.pair.link >= 0
        found[self.pair.link[real]] = coded.after[real]
        joint = cross_counts([coded.before, found], [coded.size, coded.classes], self._weights(masked=False))
        return transition(joint, coded.own, coded.named)

    def raw(self, names: Names) -> tuple[Floats, Floats]:
        """From the records."""
        return self.pair.once(("tables", names, self.bands, self.weighted), lambda: self._raw(names))

    def _raw(self, names: Names) -> tuple[Floats, Floats]:
        coded = [self.coded(name) for name in names]
        before = cross_counts([c.before for c in coded], [c.size for c in coded], self._weights(masked=False))
        after = cross_counts([c.after for c in coded], [c.classes for c in coded], self._weights(masked=True))
        return before, after

    def _weights(self, *, masked: bool) -> Floats | None:
        return self.pair.weights(masked=masked) if self.weighted else None


@dataclass(frozen=True, eq=False)
class FoldedTables(TableComparison):
    """Of files that are not in memory; categories alone."""

    pair: FoldedPair
    spanned: tuple[Names, ...]
    weighted: bool

    @cached_property
    def _counts(self) -> TableCounts:
        shown = tuple(name for name in self.names if name in self.pair.released_schema)
        weights = (self.pair.original.schema.weight, self.pair.released_schema.weight)
        counts = self.pair.fold(PairTables(self.names, shown, self.spanned, weights if self.weighted else (None, None)))
        return counts or TableCounts({}, {}, {}, {})

    @cached_property
    def _transitions(self) -> dict[str, tuple[Transition, Ints, int]]:
        found = {}
        for name in self.names:
            before, after = self._counts.dictionaries[name]
            own, categories = np.arange(len(before)), before
            for recoding in self.pair.recodings(name):
                own, categories = _recoded(recoding, own, categories)
            common, places = joined(categories, after)
            joint = _moved(self._counts.joint[name], 1, places, len(common))
            made = transition(joint, own, bool(self.pair.recodings(name)))
            found[name] = (made, places.astype(np.int64), len(common))
        return found

    def transition(self, name: str) -> Transition:
        """From the chunks."""
        return self._transitions[name][0]

    def raw(self, names: Names) -> tuple[Floats, Floats]:
        """From the chunks."""
        before, after = self._counts.before[names], self._counts.after[names]
        for axis, name in enumerate(names):
            _, places, size = self._transitions[name]
            after = _moved(after, axis, places, size)
        return before, after


def _recoded(recoding: Recoding, own: Ints, categories: tuple[Any, ...]) -> tuple[Ints, tuple[Any, ...]]:
    table, after = recoding.table(categories)
    return table[own].astype(np.int64), after


def _moved(table: Floats, axis: int, places: NDArray[Any], size: int) -> Floats:
    """A table whose codes along an axis are renumbered."""
    along = np.moveaxis(table, axis, 0)
    out = np.zeros((size + 1, *along.shape[1:]))
    np.add.at(out, np.append(places, size), along)
    return np.moveaxis(out, 0, axis)


def _banded(values: Floats, bands: int) -> tuple[Codes, Floats]:
    observed = values[~np.isnan(values)]
    if not len(observed):
        return np.full(len(values), -1, dtype=np.int32), np.zeros(0)
    edges = np.unique(np.quantile(observed, np.arange(1, bands) / bands, method="inverted_cdf"))
    return _in_bands(values, edges), edges


def _in_bands(values: Floats, edges: Floats) -> Codes:
    """The band of each value, closed on the right; -1 for missing."""
    return np.where(np.isnan(values), -1, np.searchsorted(edges, values, side="left")).astype(np.int32)
