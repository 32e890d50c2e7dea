"""Shared base of the losses of distributions: each column of both files is sorted once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.loss.distributions import Distances, distances, mid_ranks
from ammg.kernels.threads import in_threads
from ammg.measures.loss.numbers.moment_loss import averaged, differences, lost
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement
from ammg.params import param

Floats = NDArray[np.float64]
Found = TypeVar("Found")


class OrderLoss(Loss):
    """Base of the losses that sort numeric attributes."""

    anchor: ClassVar[Literal["permutation", "constant"]] = "constant"

    columns: tuple[str, ...] | None = param(None, "Numeric attributes to compare; by default all that an analyst gets.")

    def by_column(self, pair: Pair, find: Callable[[OrderedColumn], Found]) -> dict[str, Found]:
        """What is found in each column; columns are sorted once for all measures of a pair."""
        columns = [OrderedColumn(name, pair) for name in self.compared(pair)]
        found = in_threads(find, columns, (pair.n + pair.t) * len(columns))
        return {column.name: result for column, result in zip(columns, found, strict=True)}

    def compared(self, pair: Pair) -> list[str]:
        """The columns to compare; not defined without any, or without records."""
        names = pair.numeric(self.columns)
        if not names:
            raise NotDefined("no numeric attribute to compare")
        if not pair.n:
            raise NotDefined("no record to compare")
        return names


class OrderStatisticLoss(OrderLoss):
    """Base of the relative changes of order statistics."""

    @abstractmethod
    def statistics(self, ordered: Floats) -> Floats:
        """Some statistics of a sorted sample."""

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare statistics relatively; one that the release does not have is charged 1."""
        found = self.by_column(pair, lambda column: (*map(self._of, column.sorted), column.spread))
        before, after, spread = (np.array(side).T for side in zip(*found.values(), strict=True))
        size = np.abs(before)
        entries = np.abs(before - after) / np.where(size > 1e-12 * spread, size, np.nan)
        entries = np.where((before == after) & (size > 0), 0.0, entries)
        names = tuple(found)
        result = averaged(names, lost(entries, before, after), 1.0)
        if len(before) > 1:
            return result
        return replace(result, tables={"differences": differences(names, before[0], after[0])})

    def _of(self, ordered: Floats) -> Floats:
        if not len(ordered):
            return np.full(len(self.statistics(np.zeros(1))), np.nan)
        return self.statistics(ordered)


@dataclass(frozen=True, eq=False)
class OrderedColumn:
    """One column of both files, sorted."""

    name: str
    pair: Pair

    def _once(self, what: str, make: Callable[[], Found]) -> Found:
        """Compute a result once for all measures of the pair, several of which may ask at the same time."""
        return self.pair.once((OrderedColumn, self.name, what), make)

    @property
    def _sides(self) -> tuple[Floats, Floats]:
        return self.pair.original_column(self.name), self.pair.released_column(self.name)

    @property
    def sorted(self) -> tuple[Floats, Floats]:
        """The observed values of either file in ascending order."""
        return self._once("sorted", lambda: (_ascending(self._sides[0]), _ascending(self._sides[1])))

    @property
    def ranks(self) -> tuple[Floats, Floats]:
        """Ranks of either file in the order of its records; NaN for missing values."""
        before, after = map(mid_ranks, self._sides)
        return before, after

    @property
    def spread(self) -> float:
        """The standard deviation of the original."""
        return self._once("spread", lambda: _deviation(self.sorted[0]))

    @property
    def withheld(self) -> float:
        """Share of the released records that lack a value, beyond the share that lacked one before."""
        before, after = (
            1 - len(seen) / max(records, 1)
            for seen, records in zip(self.sorted, (self.pair.n, self.pair.t), strict=True)
        )
        return min(1.0, max(0.0, (after - before) / (1 - before))) if before < 1 else 0.0

    @property
    def distances(self) -> Distances:
        """Distances of the two distributions in original standard deviations, withheld values charged.

        A withheld value counts as if it were imputed by the original mean, and as 1 in the Kolmogorov-Smirnov distance.
        """
        return self._once("distances", self._charged_distances)

    def _charged_distances(self) -> Distances:
        before, after = self.sorted
        unit = self.spread
        found = distances(before, after) if len(after) else Distances(0.0, 0.0, 0.0)
        share = self.withheld if len(after) else 1.0
        if unit == 0:  # what does not vary has no unit: any change is whole
            moved = float(share > 0 or found.wasserstein > 0)
            return Distances(moved, moved, moved)
        if share:
            nothing = distances(before, np.array([before.mean()]))
            nothing = nothing._replace(kolmogorov_smirnov=1.0)
            found = Distances(*((1 - share) * a + share * b for a, b in zip(found, nothing, strict=True)))
        return Distances(found.kolmogorov_smirnov, found.wasserstein / unit, found.energy / np.sqrt(unit))


def _ascending(values: Floats) -> Floats:
    observed = values[~np.isnan(values)]
    observed.sort()
    return observed


def _deviation(ordered: Floats) -> float:
    if len(ordered) < 2 or ordered[0] == ordered[-1]:
        return 0.0
    return float(ordered.std(ddof=1))
