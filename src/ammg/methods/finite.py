"""Refuse columns without a finite mean or variance, and results that are not finite."""

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
    """Refuse a column with an infinite value: its moments are undefined, and so is noise scaled by them."""
    extremes = source.fold(Extremes(names))
    for name, lowest, highest in zip(names, extremes.lowest, extremes.highest, strict=True):
        if np.isinf(lowest) or np.isinf(highest):
            raise InputError(f"Column '{name}' has an infinite value: set it to missing, or top code it first.")
    return extremes


def refuse_unmeasurable(source: Source, names: tuple[str, ...], extremes: ExtremeValues | None = None) -> ExtremeValues:
    """Refuse a column whose variance overflows, and weights that leave no variance."""
    extremes = extremes or refuse_infinite(source, names)
    refuse_extreme(names, extremes)
    refuse_single(source, names, extremes)
    if source.count() > 1 and (positive := records_that_count(source)) < 2:
        raise InputError(
            f"Weight '{source.schema.weight}' is positive in {positive} of {source.count():,} records, but "
            "a variance needs at least two: correct the weights, or remove the role."
        )
    return extremes


def refuse_single(source: Source, names: tuple[str, ...], extremes: ExtremeValues) -> None:
    """Refuse a column with a single value: it has no variance to scale noise by, and would be released unchanged."""
    alike = [name for name, low, high in zip(names, extremes.lowest, extremes.highest, strict=True) if low == high]
    if not alike or source.count() < 2:
        return
    observed = source.count() - source.fold(MissingCounts(tuple(alike)))
    for name, values in zip(alike, observed, strict=True):
        if values == 1:
            raise InputError(
                f"Column '{name}' has only one distinct value; masking it needs at least two: suppress it, or "
                "leave the column out."
            )


def records_that_count(source: Source) -> int:
    """The records that count in weighted moments: those of positive weight, or all."""
    weight = source.schema.weight
    return source.count() if weight is None else int(source.fold(NonzeroCounts((weight,)))[1][0])


def refuse_extreme(names: Iterable[str], extremes: ExtremeValues) -> None:
    """Refuse numbers, or differences between numbers, whose squares overflow or underflow."""
    for name, lowest, highest in zip(names, extremes.lowest, extremes.highest, strict=True):
        largest = np.fmax(np.abs(lowest), np.abs(highest))
        if largest > LARGEST:
            raise InputError(
                f"Column '{name}' has values of {largest:g}, too large for their variance to be computed: "
                "divide the column by a constant first."
            )
        if lowest < highest and highest - lowest < 1 / LARGEST:
            raise InputError(
                f"The values of column '{name}' differ by {highest - lowest:g}, too little for their variance "
                "to be computed: multiply the column by a constant first."
            )


def refuse_tiny_base(base: float, names: Iterable[str], extremes: ExtremeValues) -> None:
    """Refuse numbers that are so large that neighbouring multiples of the base are the same floating-point number."""
    for name, lowest, highest in zip(names, extremes.lowest, extremes.highest, strict=True):
        largest = np.fmax(np.abs(lowest), np.abs(highest))
        if largest > base * EXACT:
            raise InputError(
                f"Column '{name}' has values of {largest:g}, for which the base {base:g} is too small to round "
                "to: raise the base."
            )


def refuse_overflow(method: Method, plan: Plan, before: Block, after: Block) -> None:
    """Stop if a method turned a finite number into infinity or NaN, unless it declares that it suppresses values."""
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
