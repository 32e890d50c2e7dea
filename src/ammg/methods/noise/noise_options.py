"""Options of every noise method: bounds, whole numbers, structural zeros, no change of sign."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ammg.data.alteration import Alteration
from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.published import NoiseLaw
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError, did_you_mean
from ammg.methods.method import Method, Plan
from ammg.params import param
from ammg.summaries.counts import NonzeroCounts
from ammg.summaries.extremes import ExtremeValues
from ammg.summaries.moments import MomentValues
from ammg.summaries.summary import Source

Numbers = NDArray[np.float64]
Columns = dict[str, Numbers]

MOST_REDRAWS = 20
_MANY_ZEROS = 0.2  # of the values
_NEAR_ZERO = 0.1  # of the largest value


class NoisyMethod(Method):
    """Base of methods that add noise to numbers.

    Each option breaks something that the noise keeps, so all are off by default, except that a column without negative
    values gets none.
    """

    bounds: Mapping[str, tuple[float | None, float | None]] = param(
        {},
        "Smallest and largest masked value of a column, such as {income: [0, null]}. Shifts the mean "
        "of columns near a bound, and breaks sums of parts.",
    )
    beyond: Literal["reflect", "truncate", "redraw"] = param(
        "reflect",
        "What happens to a value beyond a bound: reflected at it, set to it (bounds become frequent "
        f"values), or redrawn, at most {MOST_REDRAWS} times.",
    )
    integers: bool = param(
        False,
        "Round columns of whole numbers to whole numbers, up or down at random without bias. Adds a variance of at "
        "most 1/4 and breaks sums of parts.",
    )
    zeros: Literal["mask", "keep"] = param(
        "mask",
        "Whether zeros are masked like other values or stay zero, with more noise on the others to "
        "keep its variance. Zeros that stay reveal who has nothing.",
    )

    below_zero: Literal["bound", "allow"] = param(
        "bound",
        "Whether columns without negative values stay at or above zero, or may become negative. The "
        "bound shifts the mean of columns with many values near zero. It does not apply to columns of "
        "declared rules, to sums of parts that the noise keeps, or to exact noise.",
    )

    @model_validator(mode="after")
    def _has_consistent_bounds(self) -> Self:
        for name, (lower, upper) in self.bounds.items():
            if self.columns and name not in self.columns:
                raise ValueError(f"a bound names '{name}', which is not masked.{did_you_mean(name, self.columns)}")
            if lower is not None and upper is not None and not lower < upper:
                raise ValueError(f"the bounds of '{name}' leave no room: {lower:g} is not below {upper:g}")
            if self.zeros == "keep" and ((lower or 0) > 0 or (upper or 0) < 0):
                raise ValueError(f"zeros are kept, but the bounds of '{name}' exclude zero: drop one of the two")
        return self

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The columns to mask, including those with bounds."""
        names = super().chosen(schema)
        for name in self.bounds:
            if self.columns is None and name not in names:
                raise InputError(f"A bound names '{name}', which is not masked.{did_you_mean(name, names)}")
        return names

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The masked columns and the weight."""
        return (*self.chosen(schema), *([schema.weight] if schema.weight else []))

    def zeros_are_told(self, floors: tuple[str, ...]) -> bool:
        """Whether zeros stay and neither rounding nor a bound creates new ones."""
        at_zero = bool(floors) or any(0 in limits for limits in self.bounds.values())
        bounded = self.beyond != "reflect" and at_zero
        return self.zeros == "keep" and not self.integers and not bounded

    @property
    def plain(self) -> bool:
        """Whether all options leave the noise as it is."""
        return not self.bounds and not self.integers and self.zeros == "mask"

    def check_options(self, schema: Schema, names: tuple[str, ...], extremes: ExtremeValues) -> None:
        """Refuse bounds that contain no whole number, and data beyond their bounds."""
        for name, (lower, upper) in self.bounds.items():
            if name not in names:
                continue
            least, most = -np.inf if lower is None else lower, np.inf if upper is None else upper
            whole = self.integers and schema[name].kind == Kind.INTEGER
            if whole and np.ceil(least) > np.floor(most):
                raise InputError(f"No whole number lies between the bounds of '{name}', {least:g} and {most:g}.")
            found = extremes.lowest[names.index(name)], extremes.highest[names.index(name)]
            for value in found:
                if value < least or value > most:
                    raise InputError(
                        f"'{name}' has the value {value:g}, beyond its bounds ({least:g} to {most:g}): "
                        "widen the bounds, or top or bottom code the column first."
                    )

    def floors(
        self, schema: Schema, names: tuple[str, ...], extremes: ExtremeValues, covariance: Numbers | None = None
    ) -> tuple[str, ...]:
        """The columns bounded by zero: on request, or because they have no negative value and no other lower bound.

        Columns whose sums of parts the noise keeps get no such bound, because it would break the sums.
        """
        from ammg.kernels.psd import dependent_columns

        given = tuple(name for name in names if self.bounds.get(name, (None, None))[0] == 0)
        if self.below_zero == "allow" or getattr(self, "exact", False):
            return given
        ruled = {name for rule in schema.rules for name in rule.columns}
        if covariance is not None:
            ruled |= {name for name, summed in zip(names, dependent_columns(covariance), strict=True) if summed}
        found = list(given)
        for name, least, most in zip(names, extremes.lowest, extremes.highest, strict=True):
            lower, upper = self.bounds.get(name, (None, None))
            if 0 <= least <= most and lower is None and (upper is None or upper > 0) and name not in ruled:
                found.append(name)
        return tuple(found)

    def advice(
        self, source: Source, names: tuple[str, ...], extremes: ExtremeValues, floors: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Notes on surprises for users: zeros that become other numbers, values that become negative."""
        low, high = extremes.lowest, extremes.highest
        with_zeros = tuple(name for name, least, most in zip(names, low, high, strict=True) if least <= 0 <= most)
        notes = []
        if self.zeros == "mask" and with_zeros:
            observed, nonzero = source.fold(NonzeroCounts(with_zeros))
            for name, n, others in zip(with_zeros, observed, nonzero, strict=True):
                if n and n - others >= _MANY_ZEROS * n:
                    zeros = f"{100 * (1 - others / n):.0f} % of '{name}' are zeros, which the noise changes"
                    notes.append(f"{zeros}: write zeros: keep to leave them")
        for name, least, most in zip(names, low, high, strict=True):
            if not 0 <= least < _NEAR_ZERO * most or self.bounds.get(name, (None, None))[0] is not None:
                continue
            if name in floors:
                notes.append(
                    f"'{name}' has no negative values and gets none, which raises its mean if many values are near "
                    "zero: write below_zero: allow to keep the mean"
                )
            else:
                notes.append(
                    f"'{name}' has no negative values, but masked values may be negative: write bounds: {{{name}: "
                    "[0, null]}"
                )
        return tuple(notes)

    def after(self, schema: Schema) -> Schema:
        """Masked numbers are fractions, unless whole numbers are requested."""
        if self.integers:
            return schema
        return schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))

    def alters(self, plan: Plan) -> Alteration | None:
        """Every value but zeros that stay; rounding may return a whole number to its old value by chance."""
        promise = super().alters(plan)
        if promise is None:
            return None
        rounded = tuple(name for name in promise.columns if plan.schema[name].kind == Kind.INTEGER)
        return replace(promise, rounded=rounded, zeros_stay=promise.zeros_stay or self.zeros == "keep")

    def zero_gains(self, source: Source, names: tuple[str, ...]) -> Numbers:
        """Factor by which the noise of each column is stronger if zeros stay."""
        if self.zeros == "mask":
            return np.ones(len(names))
        return gains_for_zeros(*source.fold(NonzeroCounts(names, source.schema.weight)))

    def finished(self, block: Block, plan: Plan, noisy: Callable[[Block, int], Columns], draws: Draws) -> Block:
        """Apply the options to the result of `noisy`; its second argument counts the redraws."""
        floors = [name for told in plan.published if isinstance(told, NoiseLaw) for name in told.floors]
        if floors:
            lower = {name: (0.0, self.bounds.get(name, (None, None))[1]) for name in floors}
            return self.model_copy(update={"bounds": {**self.bounds, **lower}})._finished(block, noisy, draws)
        return self._finished(block, noisy, draws)

    def _finished(self, block: Block, noisy: Callable[[Block, int], Columns], draws: Draws) -> Block:
        masked = noisy(block, 0)
        if self.bounds and self.beyond == "redraw":
            for attempt in range(1, MOST_REDRAWS + 1):
                outside = self._outside(masked, len(block))
                if not outside.any():
                    break
                for name, again in noisy(block.take(outside), attempt).items():
                    masked[name][outside] = again
        for name, values in masked.items():
            limits = self.bounds.get(name, (None, None))
            values = _bounded(values, *limits, mirror=self.beyond == "reflect")
            if self.integers and block.schema[name].kind == Kind.INTEGER:
                values = _whole(values, draws.uniform(block.ids, f"{name} rounding"), *limits)
            if self.zeros == "keep":
                values = np.where(block.numbers(name) == 0, 0.0, values)
            masked[name] = values
        return block.with_columns(masked)

    def _outside(self, masked: Columns, size: int) -> NDArray[np.bool_]:
        outside = np.zeros(size, dtype=bool)
        for name, (lower, upper) in self.bounds.items():
            if name in masked:
                if lower is not None:
                    outside |= masked[name] < lower
                if upper is not None:
                    outside |= masked[name] > upper
        return outside


def gains_for_zeros(observed: Numbers, nonzero: Numbers) -> Numbers:
    """Factor for noise that leaves zeros alone: √(values / nonzero values), by weight if there is one."""
    return np.sqrt(np.divide(observed, nonzero, out=np.ones(len(observed)), where=nonzero > 0))


def without_rounding(moments: MomentValues, extremes: ExtremeValues) -> MomentValues:
    """The moments with zero covariance for constant columns, whose mean may be off by a rounding error.

    The first columns of the moments match the extremes; others, such as variates, are not constant.
    """
    varies = np.ones(len(moments.mean), dtype=bool)
    varies[: len(extremes.lowest)] = extremes.lowest < extremes.highest
    return replace(moments, covariance=np.where(np.outer(varies, varies), moments.covariance, 0.0))


def _bounded(values: Numbers, lower: float | None, upper: float | None, mirror: bool) -> Numbers:
    if lower is None and upper is None:
        return values
    if mirror and lower is not None and upper is not None:
        width = upper - lower
        folded = np.mod(values - lower, 2 * width)
        values = lower + np.where(folded > width, 2 * width - folded, folded)
    elif mirror and lower is not None:
        values = lower + np.abs(values - lower)
    elif mirror and upper is not None:
        values = upper - np.abs(upper - values)
    return np.asarray(np.clip(values, lower, upper))


def _whole(values: Numbers, uniforms: Numbers, lower: float | None, upper: float | None) -> Numbers:
    below = np.floor(values)
    rounded = below + (uniforms < values - below)
    least, most = None if lower is None else np.ceil(lower), None if upper is None else np.floor(upper)
    return np.asarray(np.clip(rounded, least, most))
