"""What covers the values of a group: an interval, or the smallest class of a hierarchy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Attribute, Kind
from ammg.data.published import ValueSets
from ammg.methods.recoding.levels import ALL, KeyLevels, key_levels, value_texts

if TYPE_CHECKING:
    from ammg.kernels.recoding.key_spans import Tree
    from ammg.summaries.cells import CellValues

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Shared(NamedTuple):
    """An attribute after local recoding."""

    attribute: Attribute
    codes: Codes
    """What each group shows."""
    loss: float
    """Mean share of the range that a value stands for."""
    told: ValueSets | None
    """What each new category stands for; None if nothing changed."""


@dataclass(frozen=True, eq=False)
class KeyValues:
    """A key as its values lie between others: a number per cell in units of loss, or the classes of a tree."""

    attribute: Attribute
    values: tuple[Any, ...]
    """What codes stand for."""
    texts: tuple[str, ...]
    number: Floats | None = None
    tree: Tree | None = None
    levels: KeyLevels | None = None

    def shared(self, codes: Codes, groups: Ints, counts: Ints) -> Shared:
        """What groups show, and what that loses, of entries with these codes, groups and numbers of records."""
        return self._intervals(codes, groups, counts) if self.levels is None else self._classes(codes, groups, counts)

    def _intervals(self, codes: Codes, groups: Ints, counts: Ints) -> Shared:
        total, known = int(groups.max()) + 1, codes >= 0
        low, high = np.full(total, len(self.values), np.int64), np.full(total, -1, np.int64)
        np.minimum.at(low, groups[known], codes[known])
        np.maximum.at(high, groups[known], codes[known])
        if not np.any(high > low):
            return Shared(self.attribute, codes[:0], 0.0, None)
        some = high >= 0
        ends, place = np.unique(np.stack([low[some], high[some]], axis=1), axis=0, return_inverse=True)
        shown = np.full(total, -1, np.int32)
        shown[some] = place.reshape(-1)
        positions = np.arange(len(self.values)) if self.attribute.is_categorical else np.array(self.values, np.float64)
        spread = float(positions[-1] - positions[0])
        width = (positions[ends[:, 1]] - positions[ends[:, 0]]) / spread
        loss = float((width[shown[groups[known]]] * counts[known]).sum() / counts[known].sum())
        name = self.attribute.name
        labels = tuple(self._interval(int(a), int(b)) for a, b in ends)
        after = self.attribute.replace(kind=Kind.ORDINAL, categories=labels, scores=None, hierarchy=None)
        if self.attribute.is_categorical:
            members = tuple(tuple(range(a, b + 1)) for a, b in ends.tolist())
            return Shared(after, shown, loss, ValueSets((name,), labels, before=self.values, members=members))
        first, last = positions[ends[:, 0]], positions[ends[:, 1]]
        after = after.replace(scores=tuple((first + (last - first) / 2).tolist()))
        told = ValueSets((name,), labels, lower=tuple(first.tolist()), upper=tuple(last.tolist()))
        return Shared(after, shown, loss, told)

    def _interval(self, low: int, high: int) -> str:
        """The label of an interval: `30-34`, `-2.5 to 7`, `school to college`."""
        if low == high:
            return self.texts[low]
        first, last = self.texts[low], self.texts[high]
        return f"{first}-{last}" if first.isdigit() and last.isdigit() else f"{first} to {last}"

    def _classes(self, codes: Codes, groups: Ints, counts: Ints) -> Shared:
        assert self.levels is not None and self.tree is not None
        total, known = int(groups.max()) + 1, codes >= 0
        codes, groups, counts = codes[known], groups[known], counts[known]
        if not codes.size:
            return Shared(self.attribute, codes, 0.0, None)
        tables = _with_top(self.levels)
        labels: dict[str, int] = {}
        sets: list[set[int]] = []
        shown, lost = np.full(total, -1, np.int32), np.zeros(total)
        open_ = np.zeros(total, np.bool_)
        open_[groups] = True
        changed = False
        for (classes, names), losses in zip(tables, self.tree.losses, strict=True):
            low, high = np.full(total, len(names), np.int64), np.full(total, -1, np.int64)
            np.minimum.at(low, groups, classes[codes])
            np.maximum.at(high, groups, classes[codes])
            here = open_ & (low == high)
            for code in np.unique(low[here]).tolist():
                place = labels.setdefault(names[code], len(labels))
                if place == len(sets):
                    sets.append(set())
                sets[place].update(np.flatnonzero(classes == code).tolist())
                shown[here & (low == code)] = place
            lost[here] = losses[low[here]] / max(float(self.tree.losses[-1].max()), 1e-300)
            open_ &= ~here
            changed |= bool(np.any(here)) and classes is not tables[0][0]
        if not changed:
            return Shared(self.attribute, shown[:0], 0.0, None)
        loss = float((lost[groups] * counts).sum() / max(1, counts.sum()))
        names = tuple(labels)
        members = tuple(tuple(sorted(held)) for held in sets)
        after = self.attribute.replace(kind=Kind.NOMINAL, categories=names, scores=None, hierarchy=None)
        if not self.attribute.is_categorical:
            ends = [(self.values[held[0]], self.values[held[-1]]) for held in members]
            after = after.replace(scores=tuple(a + (b - a) / 2 for a, b in ends))
        return Shared(after, shown, loss, ValueSets((self.attribute.name,), names, before=self.values, members=members))


def key_values(attribute: Attribute, cells: CellValues, place: int, weight: float) -> KeyValues:
    """A key of counted cells, in units of loss times its weight."""
    from ammg.kernels.recoding.key_spans import Tree

    codes, numbers = cells.codes[:, place], cells.numbers[place]
    if numbers is None and attribute.is_numeric:  # every value is missing
        numbers = np.zeros(0)
    values = tuple(numbers.tolist()) if numbers is not None else attribute.categories or ()
    if attribute.hierarchy is None and attribute.kind is not Kind.NOMINAL:
        positions = np.arange(len(values), dtype=np.float64) if numbers is None else numbers
        spread = float(positions[-1] - positions[0]) if len(positions) else 0.0
        scaled = (positions - positions[0]) / spread * weight if spread > 0 else np.zeros(len(positions))
        return KeyValues(attribute, values, value_texts(attribute, numbers), number=np.append(scaled, np.nan)[codes])
    levels = key_levels(attribute, numbers)
    tables = [np.append(classes, np.int32(-1)) for classes, _ in _with_top(levels)]
    losses = [(leaves - 1) / max(1, levels.domain - 1) * weight for leaves in levels.leaves]
    if len(levels.labels[-1]) > 1:
        losses.append(np.full(1, weight))
    tree = Tree([table[codes] for table in tables], losses)
    return KeyValues(attribute, values, levels.values, tree=tree, levels=levels)


def _with_top(levels: KeyLevels) -> list[tuple[Codes, tuple[str, ...]]]:
    """Classes and their names, level by level, ending in one class that holds everything."""
    tables = list(zip(levels.classes, levels.labels, strict=True))
    if len(levels.labels[-1]) > 1:
        tables.append((np.zeros(len(levels.values), np.int32), (ALL,)))
    return tables
