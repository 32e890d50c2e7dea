"""BVR: the change of the variance between groups."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.loss.tables import without_missing
from ammg.kernels.threads import in_threads
from ammg.measures.loss.tables.comparison import Codes, Floats, Ints
from ammg.measures.loss.tables.table_loss import coded_names
from ammg.measures.loss.tables.tables_in_memory import TablesInMemory
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement, Table, numbers, text
from ammg.params import param


class BetweenVarianceRatio(Loss):
    """Mean relative change of the variance between groups (BVR), of means or of proportions.

    BV = Σ (y_c - y)² / (groups - 1), for y_c the mean of a number in group c, or the proportion of a category there.
    The published formula mixes two scales: `reading` chooses between the mean, the proportion of each target category
    within a group, and the literal formula. Groups that are empty in the original are left out. The table has signed
    percentages. Source: Shlomo, slides on information loss.
    """

    percent: ClassVar[bool] = True
    also_called: ClassVar[tuple[str, ...]] = ("BVR",)

    reading: Literal["mean", "proportion", "literal"] = param("mean", "What is compared between groups.")
    columns: tuple[str, ...] | None = param(
        None, "Targets: numbers for means, categories for proportions; by default all of them."
    )
    groups: tuple[str, ...] | None = param(None, "Attributes that make the groups; by default all with categories.")
    bands: int = param(10, "Bands of equal counts that a number is cut into to make groups.", ge=2, le=100)
    sized: bool = param(False, "Whether groups count by their size.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare every target in every grouping."""
        tables = TablesInMemory(coded_names(pair, self.groups), pair, self.bands, weighted=False)
        by_group = in_threads(
            lambda group: self._changes(tables, group, pair), tables.names, pair.n * len(tables.names)
        )
        found = {name: change for changes in by_group for name, change in changes.items()}
        if not found:
            raise NotDefined("no target varies between groups in the original")
        signed = numbers(100 * change for change, _ in found.values())
        table = Table({"target": text(found), "percent": signed})
        return Measurement(sum(size for _, size in found.values()) / len(found), tables={"targets": table})

    def _targets(self, pair: Pair, group: str) -> list[str]:
        if self.reading == "mean":
            return pair.numeric(self.columns)
        names = self.columns or [n for n in pair.analysed() if pair.original.schema[n].is_categorical]
        return [name for name in names if name != group]

    def _changes(self, tables: TablesInMemory, group: str, pair: Pair) -> dict[str, tuple[float, float]]:
        """The mean relative change of each target in one grouping, signed and absolute."""
        compare = self._means(tables, group, pair) if self.reading == "mean" else partial(_counts, tables, group)
        found = {}
        for target in self._targets(pair, group):
            before, after = compare(target)
            there = before[1] > 0 if self.reading == "mean" else before.sum(axis=0) > 0
            before, after = (self._between(side[:, there]) for side in (before, after))
            if (before > 1e-300).any():
                kept = before > 1e-12 * before.max()
                change = (after[kept] - before[kept]) / before[kept]
                found[f"{target} by {group}"] = float(change.mean()), float(np.abs(change).mean())
        return found

    def _means(self, tables: TablesInMemory, group: str, pair: Pair) -> Callable[[str], tuple[Floats, Floats]]:
        """Compare sums of a number and numbers of its values, those of the release in the original's groups."""
        coded, made = tables.coded(group), tables.transition(group)
        original, released = _Groups.of(coded.before, coded.size), _Groups.of(coded.after, coded.classes)

        def sums(target: str) -> tuple[Floats, Floats]:
            after = made.in_categories(released.sums(pair.released_column(target)), 1)
            return original.sums(pair.original_column(target))[:, :-1], after[:, :-1]

        return sums

    def _between(self, table: Floats) -> Floats:
        """Rows are target categories and columns groups; for means, sums above numbers of values."""
        sizes = table[1] if self.reading == "mean" else table.sum(axis=0)
        if len(sizes) < 2:
            return np.zeros(0)
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.reading == "literal":
                values = table / table.sum(axis=1, keepdims=True)
                overall = table.sum(axis=1) / table.sum()
            else:
                sums = table[:1] if self.reading == "mean" else table
                values, overall = sums / sizes, sums.sum(axis=1) / sizes.sum()
            apart = np.square(np.nan_to_num(values - overall[:, None]))
        if self.sized:
            return np.asarray(apart @ sizes * len(sizes) / max(sizes.sum(), 1e-300) / (len(sizes) - 1))
        return np.asarray(apart.sum(axis=1) / (len(sizes) - 1))


def _counts(tables: TablesInMemory, group: str, target: str) -> tuple[Floats, Floats]:
    """Records by category of the target and group."""
    before, after = tables.tables((target, group))
    return without_missing(before), without_missing(after)


class _Groups(NamedTuple):
    """The group of each record of one file, the last for records whose group is missing; and their numbers."""

    places: Ints
    counts: Ints

    @classmethod
    def of(cls, codes: Codes, size: int) -> _Groups:
        """From codes, -1 for missing."""
        places = np.where(codes < 0, size, codes).astype(np.int64)
        return cls(places, np.bincount(places, minlength=size + 1))

    def sums(self, values: Floats) -> Floats:
        """Sums of a number, above how many records have one."""
        places, counts = self
        seen = ~np.isnan(values)
        if not seen.all():
            places, values = places[seen], values[seen]
            counts = np.bincount(places, minlength=len(counts))
        return np.stack([np.bincount(places, values, len(counts)), counts])
