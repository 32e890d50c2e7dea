"""Loss of a cell: a value for each cell of the original, from its number and the released one.

Each is called with two columns, or with two arrays whose last axis is the columns, and returns NaN where the loss is
undefined. `at(place)` is the same for one column. They are picklable, because they are sent to workers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.columns import Sums, sum_absolute_changes, sum_entries
from ammg.kernels.loss.information_loss import Il1Version, ZeroRule, il1_entries

Floats = NDArray[np.float64]


class CellChange(ABC):
    """A value for each cell of the original."""

    @abstractmethod
    def __call__(self, original: Floats, masked: Floats) -> Floats:
        """The values, in a new array; the arguments are not modified."""

    @abstractmethod
    def at(self, place: int) -> Self:
        """The same for the column at this place."""

    def sums(self, original: Floats, masked: Floats) -> Sums:
        """The sum of the values of one column, and how many are defined."""
        return sum_entries(original, masked, self)


@dataclass(frozen=True, eq=False)
class ScaledChange(CellChange):
    """|x - z| over a scale; undefined if the scale is not positive. A removed cell counts as the imputed number."""

    scale: Floats
    imputed: Floats

    def __call__(self, original: Floats, masked: Floats) -> Floats:
        """The values."""
        change = differences(original, masked, self.imputed)
        np.abs(change, out=change)
        change /= np.where(self.scale > 0, self.scale, np.nan)
        return change

    def at(self, place: int) -> ScaledChange:
        """For one column."""
        return ScaledChange(self.scale[place], self.imputed[place])

    def sums(self, original: Floats, masked: Floats) -> Sums:
        """If no cell was removed, divide the sum instead of each value."""
        if not self.scale > 0:
            return Sums(0.0, 0)
        total = sum_absolute_changes(original, masked)
        return super().sums(original, masked) if np.isnan(total) else Sums(total / float(self.scale), len(original))


@dataclass(frozen=True, eq=False)
class SquaredChange(CellChange):
    """(x - z)². A removed cell counts as the imputed number."""

    imputed: Floats

    def __call__(self, original: Floats, masked: Floats) -> Floats:
        """The values."""
        change = differences(original, masked, self.imputed)
        return np.square(change, out=change)

    def at(self, place: int) -> SquaredChange:
        """For one column."""
        return SquaredChange(self.imputed[place])


@dataclass(frozen=True, eq=False)
class SquaredDeviation(CellChange):
    """(x - m)², whatever is released."""

    mean: Floats

    def __call__(self, original: Floats, masked: Floats) -> Floats:
        """The values."""
        change = np.subtract(original, self.mean)
        return np.square(change, out=change)

    def at(self, place: int) -> SquaredDeviation:
        """For one column."""
        return SquaredDeviation(self.mean[place])


@dataclass(frozen=True)
class RelativeChange(CellChange):
    """The entries of IL1; a removed cell counts as the greatest change."""

    version: Il1Version
    zero: ZeroRule

    def __call__(self, original: Floats, masked: Floats) -> Floats:
        """The values."""
        entries = il1_entries(original, masked, self.version, self.zero)
        if np.isnan(entries.sum()):
            is_gone = np.isnan(masked) & ~np.isnan(original)
            entries[is_gone] = 2.0 if self.version == "symmetric" else 1.0
        return entries

    def at(self, place: int) -> RelativeChange:
        """For one column."""
        return self


@dataclass(frozen=True, eq=False)
class CappedChange(CellChange):
    """|x - z| over a scale, at most 1; any change if the scale is zero, and any removed cell, counts as 1."""

    scale: Floats

    def __call__(self, original: Floats, masked: Floats) -> Floats:
        """The values."""
        change = np.subtract(original, masked)
        np.abs(change, out=change)
        with np.errstate(divide="ignore", invalid="ignore"):
            loss = np.where(self.scale > 0, np.minimum(change / self.scale, 1.0), change > 0)
        if np.isnan(change.sum()):
            loss = np.where(np.isnan(original), np.nan, np.where(np.isnan(masked), 1.0, loss))
        return np.asarray(loss)

    def at(self, place: int) -> CappedChange:
        """For one column."""
        return CappedChange(self.scale[place])


def differences(original: Floats, masked: Floats, imputed: Floats) -> Floats:
    """x - z, where z is the imputed number for cells that the release lacks."""
    change = np.subtract(original, masked)
    if np.isnan(change.sum()):
        is_gone = np.isnan(masked) & ~np.isnan(original)
        np.copyto(change, original - imputed, where=is_gone)
    return change
