"""Shared base of the losses of distributions: each column of both files is sorted once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.loss.distributions import Distances, distances, mid_ranks
from ammg.measures.loss.numbers.moment_loss import averaged, differences, lost
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement
from ammg.params import param

Floats = NDArray[np.float64]


class OrderLoss(Loss):
    """Base of the losses that sort numeric attributes."""

    anchor: ClassVar[Literal["permutation", "constant"]] = "constant"

    columns: tuple[str, ...] | None = param(None, "Numeric attributes to compare; by default all that an analyst gets.")

    def ordered(self, pair: Pair) -> list[OrderedColumn]:
        """The columns, sorted once for all measures of a pair."""
        names = pair.numeric(self.columns)
        if not names:
            raise NotDefined("no numeric attribute to compare")
        if not pair.n:
            raise NotDefined("no record to compare")
        return [pair.once((OrderedColumn, name), lambda name=name: OrderedColumn(name, pair)) for name in names]  # type: ignore[misc]


class OrderStatisticLoss(OrderLoss):
    """Base of the relative changes of order statistics."""

    @abstractmethod
    def statistics(self, ordered: Floats) -> Floats:
        """Some statistics of a sorted sample."""

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare statistics relatively; one that the release does not have is charged 1."""
        columns = self.ordered(pair)
        before, after = (np.array([self._of(side) for side in sides]).T for sides in _sides(columns))
        size = np.abs(before)
        spread = np.array([column.spread for column in columns])
        entries = np.abs(before - after) / np.where(size > 1e-12 * spread, size, np.nan)
        entries = np.where((before == after) & (size > 0), 0.0, entries)
        names = tuple(column.name for column in columns)
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

    @property
    def _sides(self) -> tuple[Floats, Floats]:
        return self.pair.originals([self.name])[:, 0], self.pair.released([self.name])[:, 0]

    @cached_property
    def sorted(self) -> tuple[Floats, Floats]:
        """The observed values of either file in ascending order."""
        before, after = (np.sort(side[~np.isnan(side)], kind="stable") for side in self._sides)
        return before, after

    @property
    def ranks(self) -> tuple[Floats, Floats]:
        """Ranks of either file in the order of its records; NaN for missing values."""
        before, after = map(mid_ranks, self._sides)
        return before, after

    @cached_property
    def spread(self) -> float:
        """The standard deviation of the original."""
        before, _ = self.sorted
        if len(before) < 2 or before[0] == before[-1]:
            return 0.0
        return float(before.std(ddof=1))

    @property
    def withheld(self) -> float:
        """Share of the released records that lack a value, beyond the share that lacked one before."""
        before, after = (
            1 - len(seen) / max(records, 1)
            for seen, records in zip(self.sorted, (self.pair.n, self.pair.t), strict=True)
        )
        return min(1.0, max(0.0, (after - before) / (1 - before))) if before < 1 else 0.0

    @cached_property
    def distances(self) -> Distances:
        """Distances of the two distributions in original standard deviations, withheld values charged.

        A withheld value counts as if it were imputed by the original mean, and as 1 in the Kolmogorov-Smirnov distance.
        """
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


def _sides(columns: Sequence[OrderedColumn]) -> tuple[list[Floats], list[Floats]]:
    return [column.sorted[0] for column in columns], [column.sorted[1] for column in columns]
