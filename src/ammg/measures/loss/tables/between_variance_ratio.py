"""BVR: the change of the variance between groups."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.loss.tables import without_missing
from ammg.measures.loss.tables.comparison import Floats
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
        found = {}
        for group in tables.names:
            for target in self._targets(pair, group):
                before, after = self._variances(tables, group, target, pair)
                if len(before) and (before > 1e-300).any():
                    kept = before > 1e-12 * before.max()
                    found[f"{target} by {group}"] = (
                        float(((after[kept] - before[kept]) / before[kept]).mean()),
                        float((np.abs(after[kept] - before[kept]) / before[kept]).mean()),
                    )
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

    def _variances(self, tables: TablesInMemory, group: str, target: str, pair: Pair) -> tuple[Floats, Floats]:
        """The variance between groups in both files, one for each category of the target, or one for a mean."""
        if self.reading == "mean":
            before, after = _group_sums(tables, group, pair.originals([target])[:, 0], pair.released([target])[:, 0])
        else:
            before, after = (without_missing(table) for table in tables.tables((target, group)))
        there = before.sum(axis=0) > 0 if self.reading != "mean" else before[1] > 0
        first, second = (self._between(side[:, there]) for side in (before, after))
        return first, second

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


def _group_sums(tables: TablesInMemory, group: str, original: Floats, released: Floats) -> tuple[Floats, Floats]:
    """Sums of a number and numbers of its values by group, those of the release in the original's groups."""
    coded, made = tables.coded(group), tables.transition(group)
    sides = []
    for codes, size, values in ((coded.before, coded.size, original), (coded.after, coded.classes, released)):
        seen = ~np.isnan(values) & (codes >= 0)
        counts = np.bincount(codes[seen], minlength=size + 1).astype(np.float64)
        sums = np.bincount(codes[seen], values[seen], size + 1).astype(np.float64)
        sides.append(np.stack([sums, counts]))
    return sides[0][:, :-1], made.in_categories(sides[1], 1)[:, :-1]
