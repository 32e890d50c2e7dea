"""How far a published statistic moves."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.loss.tables.tables_in_memory import TablesInMemory
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement, Table, counts, numbers, text
from ammg.params import param

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_SHOWN = 10  # groups of fewer records are not told apart


class StatisticChange(Loss):
    """Largest relative change of a statistic, over attributes and groups.

    Means, totals, quantiles, variances and standard deviations of numbers, counts of records, and shares of categories
    (whose change is absolute), for the whole file or for each level of an attribute; sampling weights are used where a
    file has them. A statistic that the release cannot give changes by 1. Groups that the release merges are merged in
    the original too. The entry `survive` of a project is checked by this measure.
    """

    percent = True

    statistic: Literal["mean", "total", "median", "quantile", "variance", "deviation", "count", "share"] = param(
        "mean", "What is compared."
    )
    of: str | None = param(
        None, "The attribute; by default every number, or for shares every attribute with categories."
    )
    by: str | None = param(None, "Attribute whose levels are the groups; by default the whole file.")
    at: float = param(0.5, "Share of the values below a quantile.", gt=0, lt=1)

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare every group."""
        if not pair.n:
            raise NotDefined("no record to compare")
        weights = [pair.weights(masked=False), pair.weights(masked=True)]
        sides = [np.ones(size) if side is None else side for side, size in zip(weights, (pair.n, pair.t), strict=True)]
        groups = self._groups(pair)
        rows: list[tuple[str, int, float]] = []
        for name in self._names(pair):
            for values in self._columns(pair, name):
                for before, after in groups:
                    found = self._change(values, (before, after), (sides[0], sides[1]))
                    if found is not None:
                        rows.append((name, int(before.sum()), found))
        if not rows:
            raise NotDefined("the original has no such statistic")
        by_column = {name: max(row[2] for row in rows if row[0] == name) for name in dict.fromkeys(r[0] for r in rows)}
        large = [row for row in rows if row[1] >= _SHOWN]
        table = Table(
            {
                "attribute": text(row[0] for row in large),
                "records": counts(row[1] for row in large),
                "change": numbers(row[2] for row in large),
            }
        )
        return Measurement(max(row[2] for row in rows), by_column=by_column, tables={"groups": table})

    def _names(self, pair: Pair) -> list[str]:
        if self.statistic == "count":
            return ["records"]
        schema = pair.original.schema
        named = [schema[self.of].name] if self.of is not None else pair.analysed()
        fits = [n for n in named if (schema[n].is_categorical if self.statistic == "share" else schema[n].is_numeric)]
        if not fits:
            kind = "has no categories" if self.statistic == "share" else "is no number"
            raise NotDefined(f"'{self.of}' {kind}" if self.of else "no attribute has such a statistic")
        return fits

    def _columns(self, pair: Pair, name: str) -> list[tuple[Floats, Floats]]:
        if self.statistic == "count":
            return [(np.ones(pair.n), np.ones(pair.t))]
        if self.statistic != "share":
            return [(pair.originals([name])[:, 0], pair.released([name])[:, 0])]
        tables = TablesInMemory((name,), pair, 10, weighted=False)
        coded, made = tables.coded(name), tables.transition(name)
        shared = np.zeros((coded.classes + 1, coded.size))
        shared[made.classes, made.categories] = 1 / made.members[made.classes]
        return [((coded.before == code).astype(np.float64), shared[coded.after, code]) for code in range(coded.size)]

    def _groups(self, pair: Pair) -> list[tuple[Bools, Bools]]:
        if self.by is None:
            return [(np.ones(pair.n, dtype=bool), np.ones(pair.t, dtype=bool))]
        coded = TablesInMemory((self.by,), pair, 10, weighted=False).coded(self.by)
        own = np.append(coded.own, -1)[coded.before]
        return [(own == code, coded.after == code) for code in np.unique(own[own >= 0]).tolist()]

    def _change(
        self, values: tuple[Floats, Floats], chosen: tuple[Bools, Bools], weights: tuple[Floats, Floats]
    ) -> float | None:
        before, after = (
            self._statistic(column, group, weight)
            for column, group, weight in zip(values, chosen, weights, strict=True)
        )
        if before is None:
            return None
        if after is None:
            return 1.0
        if self.statistic == "share":
            return abs(after - before)
        if before == after or abs(after - before) <= 1e-12 * abs(before):
            return 0.0
        return abs(after - before) / abs(before) if before else 1.0

    def _statistic(self, values: Floats, group: Bools, weights: Floats) -> float | None:
        chosen = group & ~np.isnan(values) & (weights > 0)
        if not chosen.any():
            return None
        x, w = values[chosen], weights[chosen]
        total = float(w.sum())
        if self.statistic in ("total", "count"):
            return float(w @ x)
        if self.statistic in ("mean", "share"):
            return float(w @ x) / total
        if self.statistic in ("median", "quantile"):
            return _quantile(x, w, 0.5 if self.statistic == "median" else self.at)
        divisor = total - float(w @ w) / total
        if divisor <= 0:
            return None
        variance = float(w @ np.square(x - float(w @ x) / total)) / divisor
        return variance if self.statistic == "variance" else float(np.sqrt(variance))


def _quantile(values: Floats, weights: Floats, share: float) -> float:
    """The least value with at least that share of the weights up to it; between two where it is reached exactly."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order]) / weights.sum()
    place = int(np.searchsorted(below, share - 1e-12))
    exact = place + 1 < len(values) and abs(below[place] - share) < 1e-12
    return float((values[order[place]] + values[order[place + 1]]) / 2 if exact else values[order[place]])
