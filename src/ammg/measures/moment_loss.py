"""What the information loss measures of numbers share: aligned cells, moments, and what is charged for a gap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.pairwise import Moments, pairwise_moments
from ammg.measures.measure import Measure, Measurement
from ammg.params import param

Floats = NDArray[np.float64]


class NumberLoss(Measure):
    """Base of the losses of numeric attributes."""

    family: ClassVar[Literal["risk", "loss"]] = "loss"
    range: ClassVar[tuple[float, float]] = (0.0, float("inf"))

    columns: tuple[str, ...] | None = param(None, "Numeric attributes to compare; by default all that an analyst gets.")

    def compared(self, pair: Pair) -> NumberComparison:
        """The comparison of this measure's columns, made once for all measures of a pair."""
        names = tuple(pair.numeric(self.columns))
        if not names:
            raise NotDefined("no numeric attribute to compare")
        if pair.n < 2 or pair.t < 2:
            raise NotDefined("fewer than two records")
        return pair.once((NumberComparison, names), lambda: NumberComparison(pair, names))


@dataclass(frozen=True, eq=False)
class NumberComparison:
    """Numbers before and after masking."""

    pair: Pair
    names: tuple[str, ...]

    @cached_property
    def cells(self) -> tuple[Floats, Floats]:
        """Originals, and what the release shows for them; NaN where it shows nothing."""
        return self.pair.aligned(self.names)

    @cached_property
    def before(self) -> Moments:
        """Moments of the original file."""
        return pairwise_moments(self.cells[0])

    @cached_property
    def after(self) -> Moments:
        """Moments of the released file, simulated records included."""
        return pairwise_moments(self.pair.released(self.names))

    @cached_property
    def gone(self) -> NDArray[np.bool_]:
        """Cells that the original has and the release does not: suppressed, or their record or column dropped."""
        original, masked = self.cells
        return np.isnan(masked) & ~np.isnan(original)

    @cached_property
    def imputed(self) -> Floats:
        """The released cells with gaps filled by what an analyst has for them: the released column's mean."""
        mean = np.where(np.isnan(self.after.mean), self.before.mean, self.after.mean)
        return np.where(self.gone, mean, self.cells[1])


def averaged(names: tuple[str, ...], entries: Floats, charged: float | None = None) -> Measurement:
    """Mean of the defined entries, by column where the last axis is the columns; undefined ones are counted.

    `charged` is the entry of a quantity that the release does not have at all.
    """
    if charged is not None:
        entries = np.where(np.isinf(entries), charged, entries)
    defined = ~np.isnan(entries)
    if not defined.any():
        raise NotDefined("every denominator is zero")
    by_column: dict[str, float] = {}
    if entries.shape[-1] == len(names):
        rows = entries.reshape(-1, len(names))
        seen = ~np.isnan(rows)
        sums = np.where(seen, rows, 0.0).sum(axis=0)
        by_column = {
            name: float(total / count)
            for name, total, count in zip(names, sums, seen.sum(axis=0), strict=True)
            if count
        }
    return Measurement(
        value=float(entries[defined].mean()), by_column=by_column, details={"skipped": int((~defined).sum())}
    )


def lost(entries: Floats, before: Floats, after: Floats) -> Floats:
    """Mark entries whose released counterpart does not exist (NaN after, not before) as infinite, to be charged."""
    return np.where(np.isnan(after) & ~np.isnan(before), np.inf, entries)


class MomentScore(NumberLoss):
    """Base of the scores that average several losses."""

    parts: ClassVar[tuple[str, ...]]
    default: ClassVar[bool] = False

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average the parts."""
        from ammg import registry

        values = {}
        for name in self.parts:
            value = registry.find("measures", name)(columns=self.columns).measure(pair, scenario).value
            values[name] = float(value or 0.0)
        return Measurement(value=sum(values.values()) / len(values), details={"parts": values})
