"""Tables of two files in memory, as the losses of categories compare them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from ammg.data.pair import Pair
from ammg.data.pairs.originals import once_of
from ammg.data.pairs.unchanged import is_unchanged
from ammg.kernels.columns import pieces
from ammg.kernels.loss.tables import cross_counts
from ammg.kernels.threads import in_threads
from ammg.measures.loss.tables.comparison import Codes, Floats, Ints, Names, TableComparison, Transition, transition

_SMALL = 20_000  # cells of tables that are counted together


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
        if is_unchanged(pair, name):
            return once_of(pair.original, ("coded", name, self.bands), partial(self._unchanged, name), bulky=True)
        if pair.original.schema[name].is_numeric:
            before, edges = self._banded(name)
            size = len(edges) + 1
            released = pair.released([name])[:, 0]
            if name not in pair.masked.schema or not np.isnan(released).all() or pair.masked.schema[name].is_numeric:
                return Coded(before, _in_bands(released, edges), size, size, np.arange(size), True)
        else:
            before, categories = self._codes(name)
            size = len(categories)
        recoded, after, common = pair.common_codes(name)
        own = np.full(size, -1, dtype=np.int64)
        seen = before >= 0
        own[before[seen]] = recoded[seen]
        return Coded(before, after, size, len(common), own, bool(pair.recodings(name)))

    def _unchanged(self, name: str) -> Coded:
        """Codes of a column that is the same in both files."""
        if self.pair.original.schema[name].is_numeric:
            before, edges = self._banded(name)
            size = len(edges) + 1
            return Coded(before, before, size, size, np.arange(size), True)
        before, categories = self._codes(name)
        size = len(categories)
        observed = np.bincount(before[before >= 0], minlength=size) > 0
        return Coded(before, before, size, size, np.where(observed, np.arange(size), -1), False)

    def _banded(self, name: str) -> tuple[Codes, Floats]:
        values = self.pair.originals
        return once_of(
            self.pair.original,
            ("bands", name, self.bands),
            lambda: _banded(values([name])[:, 0], self.bands),
            bulky=True,
        )

    def _codes(self, name: str) -> tuple[Codes, tuple[Any, ...]]:
        make = partial(self.pair.codes, name, masked=False)
        return once_of(self.pair.original, ("codes", name), make, bulky=True)

    def shape(self, name: str) -> tuple[int, int]:
        """From the dictionaries."""
        coded = self.coded(name)
        return coded.size, coded.classes

    def is_same(self, names: Names) -> bool:
        """Whether no attribute changed, nor the weight that is summed."""
        weight = self.pair.original.schema.weight if self.weighted else None
        return all(is_unchanged(self.pair, name) for name in (*names, *([weight] if weight else [])))

    def transition(self, name: str) -> Transition:
        """From the records."""
        return self.pair.once(("transition", name, self.bands, self.weighted), lambda: self._transition(name))

    def _transition(self, name: str) -> Transition:
        coded = self.coded(name)
        if not self.pair.is_linked:
            nothing = np.zeros((coded.size + 1, coded.classes + 1))
            return replace(transition(nothing, coded.own, coded.named), is_linked=False)
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
        known = self._of_original
        if names not in known:
            weights = self._weights(masked=False)
            known[names] = cross_counts([c.before for c in coded], [c.size for c in coded], weights)
        if self.is_same(names):
            return known[names], known[names]
        after = cross_counts([c.after for c in coded], [c.classes for c in coded], self._weights(masked=True))
        return known[names], after

    @cached_property
    def _of_original(self) -> dict[Names, Floats]:
        """Tables of the original that were counted before."""
        return once_of(self.pair.original, ("tables", self.bands, self.weighted), dict, bulky=True)

    def code(self, names: Iterable[str]) -> None:
        """Code the attributes in threads."""
        names = list(names)
        in_threads(self.coded, names, 2 * self.pair.n * len(names))

    def prepare(self, spanned: Sequence[Names]) -> None:
        """Count tables in threads, small ones of two attributes together."""
        changed = [names for names in spanned if not self.is_same(names)]
        attributes = list(dict.fromkeys(name for names in changed for name in names))
        in_threads(self.transition, attributes, 2 * self.pair.n * len(attributes))
        pairs = [names for names in changed if len(names) == 2 and self.cells(names) <= _SMALL]
        known = self._of_original
        missing = [names for names in pairs if names not in known]
        known.update(zip(missing, self._together(missing, masked=False), strict=True))
        for names, after in zip(pairs, self._together(pairs, masked=True), strict=True):
            self.pair.once(("tables", names, self.bands, self.weighted), partial(_beside, known[names], after))
        counted = set(pairs)
        others = [names for names in changed if names not in counted]
        in_threads(self.raw, others, 2 * self.pair.n * len(others))

    def _together(self, spanned: Sequence[Names], *, masked: bool) -> list[Floats]:
        from ammg.kernels.loss.pair_tables import pair_tables

        places = {name: place for place, name in enumerate(dict.fromkeys(name for names in spanned for name in names))}
        coded = [self.coded(name) for name in places]
        columns = [c.after if masked else c.before for c in coded]
        sizes = [c.classes if masked else c.size for c in coded]
        pairs = [(places[one], places[other]) for one, other in spanned]
        return pair_tables(columns, sizes, pairs, self._weights(masked=masked))

    def _weights(self, *, masked: bool) -> Floats | None:
        return self.pair.weights(masked=masked) if self.weighted else None


def _beside(before: Floats, after: Floats) -> tuple[Floats, Floats]:
    return before, after


def _banded(values: Floats, bands: int) -> tuple[Codes, Floats]:
    observed = values[~np.isnan(values)]
    if not len(observed):
        return np.full(len(values), -1, dtype=np.int32), np.zeros(0)
    observed.sort()  # sorting first is faster than finding quantiles of unsorted numbers
    edges = np.unique(np.quantile(observed, np.arange(1, bands) / bands, method="inverted_cdf"))
    return _in_bands(values, edges), edges


def _in_bands(values: Floats, edges: Floats) -> Codes:
    """The band of each value, closed on the right; -1 for missing."""
    bands = np.empty(len(values), dtype=np.int32)
    for part in pieces(len(values)):  # comparing with a few edges takes less time than searching in them
        some = values[part]
        above = np.zeros(len(some), dtype=np.int16)
        for edge in edges:
            above += some > edge
        above[np.isnan(some)] = -1
        bands[part] = above
    return bands
