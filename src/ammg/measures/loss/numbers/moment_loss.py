"""Shared base of the information loss of numbers: aligned cells, moments, and the cost of missing cells."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.columns import Sums
from ammg.kernels.loss.cell_changes import CellChange
from ammg.kernels.loss.information_loss import average_il1
from ammg.kernels.pairwise import Moments, moments
from ammg.kernels.threads import in_threads
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement, Table, numbers, text
from ammg.params import param
from ammg.summaries.folded_pair import FoldedPair
from ammg.summaries.pair_numbers import PairCells, PairMoments

Floats = NDArray[np.float64]


class NumberLoss(Loss):
    """Base of the losses of numeric attributes."""

    columns: tuple[str, ...] | None = param(None, "Numeric attributes to compare; by default all that an analyst gets.")
    kim: bool = param(False, "Whether masked moments are corrected for published noise (Kim 1990).")

    @abstractmethod
    def of(self, compared: Compared) -> Measurement:
        """The loss that a comparison of numbers shows."""

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare all records at once."""
        names = self._names(pair)
        return self._of(pair, pair.once((NumberComparison, names), lambda: NumberComparison(names, pair)))

    def fold(self, pair: FoldedPair, scenario: Scenario) -> Measurement:
        """Compare chunk by chunk."""
        names = self._names(pair)
        return self._of(pair, pair.once((FoldedComparison, names), lambda: FoldedComparison(names, pair)))

    def _of(self, pair: Pair, compared: Compared) -> Measurement:
        if not self.kim:
            return compared.answer(self)
        from ammg.measures.loss.numbers.noise_correction import Corrected

        return self.of(Corrected(compared.names, compared, pair))

    def _names(self, pair: Pair) -> tuple[str, ...]:
        names = tuple(pair.numeric(self.columns))
        if not names:
            raise NotDefined("no numeric attribute to compare")
        if pair.n < 2 or pair.t < 2:
            raise NotDefined("fewer than two records")
        return names


@dataclass(frozen=True, eq=False)
class Compared(ABC):
    """Numbers before and after masking, made once for all measures of a pair."""

    names: tuple[str, ...]

    @cached_property
    def _answers(self) -> dict[NumberLoss, Measurement]:
        return {}

    def answer(self, measure: NumberLoss) -> Measurement:
        """What a measure finds in this comparison, computed once: scores average what others show by themselves."""
        if measure not in self._answers:
            self._answers[measure] = measure.of(self)
        return self._answers[measure]

    @property
    @abstractmethod
    def before(self) -> Moments:
        """Moments of the original file."""

    @property
    @abstractmethod
    def after(self) -> Moments:
        """Moments of the released file, simulated records included."""

    @abstractmethod
    def over_cells(self, entries: CellChange) -> Measurement:
        """Mean of what `entries` makes of the cells of the original and what is released for them."""

    @abstractmethod
    def over_records(self, entries: CellChange) -> float:
        """The same in percent by record, and then over records."""

    @property
    def means(self) -> Floats:
        """Means of the original file."""
        return self.before.mean

    @property
    def deviations(self) -> Floats:
        """Standard deviations of the original file, zero for constant columns."""
        return self.before.sd

    @property
    def imputed(self) -> Floats:
        """The stand-in for a suppressed cell: the mean of the released column."""
        return np.where(np.isnan(self.after.mean), self.means, self.after.mean)


@dataclass(frozen=True, eq=False)
class NumberComparison(Compared):
    """Of files in memory."""

    pair: Pair

    @cached_property
    def before(self) -> Moments:
        """Moments of the original file."""
        profiles = in_threads(self.pair.original_profile, self.names, self.pair.n * len(self.names))
        return moments([self.pair.original_column(name) for name in self.names], profiles)

    @cached_property
    def after(self) -> Moments:
        """Moments of the released file, simulated records included."""
        profiles = in_threads(self.pair.released_profile, self.names, self.pair.t * len(self.names))
        return moments([self.pair.released_column(name) for name in self.names], profiles)

    @property
    def means(self) -> Floats:
        """Means of the original file."""
        return np.array([self.pair.original_profile(name).mean for name in self.names])

    @property
    def deviations(self) -> Floats:
        """Standard deviations of the original file, zero for constant columns."""
        return np.array([self.pair.original_profile(name).sd for name in self.names])

    @cached_property
    def imputed(self) -> Floats:
        """The stand-in for a suppressed cell: the mean of the released column."""
        if all(self.pair.shows_all(name) for name in self.names):
            return self.means  # no cell is gone
        shown = np.array([self.pair.released_profile(name).mean for name in self.names])
        return np.where(np.isnan(shown), self.means, shown)

    def over_cells(self, entries: CellChange) -> Measurement:
        """Column by column, each read once."""
        found = in_threads(partial(self._sums, entries), range(len(self.names)), self.pair.n * len(self.names))
        defined = sum(sums.defined for sums in found)
        if not defined:
            raise NotDefined("every denominator is zero")
        by_column = {
            name: sums.total / sums.defined for name, sums in zip(self.names, found, strict=True) if sums.defined
        }
        value = sum(sums.total for sums in found) / defined
        return Measurement(value, by_column=by_column, facts={"skipped": self.pair.n * len(self.names) - defined})

    def _sums(self, entries: CellChange, place: int) -> Sums:
        name = self.names[place]
        return entries.at(place).sums(self.pair.original_column(name), self.pair.aligned_column(name))

    def over_records(self, entries: CellChange) -> float:
        """All cells at once."""
        return average_il1(entries(*self.pair.aligned(self.names)), "record")


@dataclass(frozen=True, eq=False)
class FoldedComparison(Compared):
    """Of files that are not in memory."""

    pair: FoldedPair

    @property
    def before(self) -> Moments:
        """Moments of the original file."""
        return self._moments[0]

    @property
    def after(self) -> Moments:
        """Moments of the released file, simulated records included."""
        return self._moments[1]

    @cached_property
    def _moments(self) -> tuple[Moments, Moments]:
        return self.pair.fold(PairMoments(self.names, self._released))

    @property
    def _released(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name in self.pair.released_schema)

    def over_cells(self, entries: CellChange) -> Measurement:
        """Sums over chunks."""
        found = self.pair.fold(PairCells(self.names, self._released, entries))
        if not found.defined.any():
            raise NotDefined("every denominator is zero")
        by_column = {
            name: float(total / count)
            for name, total, count in zip(self.names, found.sums, found.defined, strict=True)
            if count
        }
        value = float(found.sums.sum() / found.defined.sum())
        return Measurement(value=value, by_column=by_column, facts={"skipped": found.undefined})

    def over_records(self, entries: CellChange) -> float:
        """Sums over chunks."""
        found = self.pair.fold(PairCells(self.names, self._released, entries))
        return 100 * found.record_means / found.records if found.records else float("nan")


def averaged(names: tuple[str, ...], entries: Floats, charged: float | None = None) -> Measurement:
    """Mean of the defined entries, by column where the last axis is the columns; undefined ones are counted.

    `charged` is the entry of a quantity that the release does not have at all.
    """
    if charged is not None:
        entries = np.where(np.isinf(entries), charged, entries)
    missing = np.isnan(entries)
    skipped = int(np.count_nonzero(missing))
    if skipped == entries.size:
        raise NotDefined("every denominator is zero")
    rows = np.where(missing, 0.0, entries) if skipped else entries
    by_column: dict[str, float] = {}
    if entries.shape[-1] == len(names):
        seen = (~missing).reshape(-1, len(names)).sum(axis=0)
        sums = rows.reshape(-1, len(names)).sum(axis=0)
        by_column = {name: float(total / count) for name, total, count in zip(names, sums, seen, strict=True) if count}
    value = float(rows.sum() / (entries.size - skipped))
    return Measurement(value=value, by_column=by_column, facts={"skipped": skipped})


def lost(entries: Floats, before: Floats, after: Floats) -> Floats:
    """Mark entries whose released counterpart does not exist (NaN after, not before) as infinite, to be charged."""
    return np.where(np.isnan(after) & ~np.isnan(before), np.inf, entries)


def differences(names: Sequence[str], before: Floats, after: Floats) -> Table:
    """The signed relative difference 100 (after - before) / before of each attribute's statistic, in percent."""
    with np.errstate(divide="ignore", invalid="ignore"):
        percent = 100 * (after - before) / before
    return Table({"attribute": text(names), "percent": numbers(percent)})


class MomentScore(NumberLoss):
    """Base of the scores that average several losses."""

    parts: ClassVar[tuple[str, ...]]

    def of(self, compared: Compared) -> Measurement:
        """Average the parts."""
        from ammg import registry

        values = {}
        for name in self.parts:
            value = compared.answer(registry.find("measures", name)(columns=self.columns)).value
            values[name] = float(value or 0.0)
        return Measurement(value=sum(values.values()) / len(values), facts=values)
