"""Refuse numbers that have no mean or variance, and results that are no numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ammg.data.block import Block
from ammg.data.published import Suppression
from ammg.errors import InputError, NotFinite
from ammg.kernels.rounding.rounding import EXACT
from ammg.methods.method import Links, Method, Plan
from ammg.summaries.counts import MissingCounts, NonzeroCounts
from ammg.summaries.extremes import Extremes, ExtremeValues
from ammg.summaries.summary import Source

LARGEST = 1e145
"""Sums of squares of numbers up to this, and their products, are finite."""


def refuse_infinite(source: Source, names: tuple[str, ...]) -> ExtremeValues:
    """Stop at a column with an infinite value: its moments are undefined, and so is noise of their size."""
    extremes = source.fold(Extremes(names))
    for name, lowest, highest in zip(names, extremes.lowest, extremes.highest, strict=True):
        if np.isinf(lowest) or np.isinf(highest):
            raise InputError(f"Column '{name}' has an infinite value: set it to missing, or top code it first.")
    return extremes


def refuse_unmeasurable(source: Source, names: tuple[str, ...], extremes: ExtremeValues | None = None) -> ExtremeValues:
    """Stop at a column whose variance no floating-point number can hold, and at weights that leave no variance."""
    extremes = extremes or refuse_infinite(source, names)
    refuse_extreme(names, extremes)
    refuse_single(source, names, extremes)
    if source.count() > 1 and (positive := records_that_count(source)) < 2:
        raise InputError(
            f"Weight '{source.schema.weight}' is positive in {positive} of {source.count():,} records, and a variance "
            "needs two: correct the weights, or leave the role out."
        )
    return extremes


def refuse_single(source: Source, names: tuple[str, ...], extremes: ExtremeValues) -> None:
    """Stop at a column with one value: it has no variance to take noise from, and would leave as it is."""
    alike = [name for name, low, high in zip(names, extremes.lowest, extremes.highest, strict=True) if low == high]
    if not alike or source.count() < 2:
        return
    observed = source.count() - source.fold(MissingCounts(tuple(alike)))
    for name, values in zip(alike, observed, strict=True):
        if values == 1:
            raise InputError(
                f"Column '{name}' has only one value, and masking it needs at least two: suppress it, or leave the "
                "column out."
            )


def records_that_count(source: Source) -> int:
    """The records that have a part in weighted moments: those of positive weight, or all."""
    weight = source.schema.weight
    return source.count() if weight is None else int(source.fold(NonzeroCounts((weight,)))[1][0])


def refuse_extreme(names: Iterable[str], extremes: ExtremeValues) -> None:
    """Stop at numbers, or differences between numbers, whose squares leave the range of floating-point numbers."""
    for name, lowest, highest in zip(names, extremes.lowest, extremes.highest, strict=True):
        largest = np.fmax(np.abs(lowest), np.abs(highest))
        if largest > LARGEST:
            raise InputError(
                f"Column '{name}' has values of {largest:g}, whose variance no floating-point number can hold: "
                "divide the column by a constant first."
            )
        if lowest < highest and highest - lowest < 1 / LARGEST:
            raise InputError(
                f"The values of column '{name}' differ by {highest - lowest:g}, whose square no floating-point number "
                "can hold: multiply the column by a constant first."
            )


def refuse_tiny_base(base: float, names: Iterable[str], extremes: ExtremeValues) -> None:
    """Stop at numbers that are more multiples of a base than a floating-point number can count one by one."""
    for name, lowest, highest in zip(names, extremes.lowest, extremes.highest, strict=True):
        largest = np.fmax(np.abs(lowest), np.abs(highest))
        if largest > base * EXACT:
            raise InputError(
                f"Column '{name}' has values of {largest:g}, of which the base {base:g} is too small a part to round "
                "by: raise the base."
            )


def refuse_overflow(method: Method, plan: Plan, before: Block, after: Block) -> None:
    """Stop if a method made no finite number of a finite one, unless it says that it suppresses values."""
    if method.recodes or len(before) != len(after):
        return
    suppresses = method.links is Links.SUPPRESSED or any(isinstance(told, Suppression) for told in plan.published)
    for name in plan.schema.names:
        if name not in before.columns or not before[name].dtype == after[name].dtype == np.float64:
            continue
        lost = np.isinf(after[name]) if suppresses else ~np.isfinite(after[name])
        if lost.any() and (lost := lost & np.isfinite(before[name])).any():
            value = before[name][np.argmax(lost)]
            raise NotFinite(
                f"Column '{name}' has the value {value:g}, which {method.name} turns into infinity or NaN: "
                "divide the column by a constant first, or leave it out."
            )
