"""Round numbers to multiples of a base: to the nearest, at random without bias, and with controlled totals.

Every random rule rounds x to one of its two neighbouring multiples and has expectation x. A missing value stays
missing. Source of the random rules: Shlomo's overview of disclosure control methods.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.orders import lexical_order

Floats = NDArray[np.float64]

EXACT = 2.0**53
"""Whole numbers up to this are exact as floats."""


def round_nearest(values: Floats, base: float, half: Literal["even", "up"] = "even") -> Floats:
    """Round to the nearest multiple; a value halfway goes to the even multiple, or up."""
    _check(values, base)
    quotient = values / base
    if not float(base).is_integer():
        # As floats, 0.35 / 0.1 is slightly below 3.5: a value within rounding error of a half counts as a half.
        halves = np.floor(quotient) + 0.5
        near = np.abs(quotient - halves) <= np.minimum(2 * np.finfo(float).eps * np.abs(quotient), 0.01)
        quotient = np.where(near, halves, quotient)
    return multiples(np.rint(quotient) if half == "even" else np.floor(quotient + 0.5), base)


def round_random(values: Floats, base: float, uniforms: Floats) -> Floats:
    """Round each value up with probability residual / base, independently."""
    lower, residual = split(values, base)
    return multiples(lower + (uniforms * base < residual), base)


def round_systematic(
    values: Floats, base: float, rng: np.random.Generator, groups: NDArray[np.integer] | None = None
) -> Floats:
    """Round at random so that the total, and the total of every control group, is off by less than one base.

    A systematic sample decides which values go up: with the values ordered by group, residual and chance, their
    residuals are laid end to end, and every base-th point of that line, from a random start, sends its value up. Any
    contiguous stretch contains its expected number of such points, rounded down or up.
    """
    lower, residual = split(values, base)
    known = np.flatnonzero(~np.isnan(values))
    keys = [residual[known], rng.random(len(known))]
    order = known[lexical_order(keys if groups is None else [groups[known], *keys], len(known))[0]]
    start = rng.random() * base
    passed = np.floor((np.cumsum(residual[order]) + start) / base)
    rounded = lower.copy()
    rounded[order] += np.diff(passed, prepend=0.0)
    return multiples(rounded, base)


def round_classwise(values: Floats, base: float, rng: np.random.Generator) -> Floats:
    """Round up, among the n_r values with residual r, exactly the number nearest to n_r r / base, chosen at random.

    The rule on the slide. It is unbiased only if that number is whole, and the total is off by up to half a base per
    residual; `round_systematic` has neither problem.
    """
    lower, residual = split(values, base)
    known = np.flatnonzero(~np.isnan(values))
    order = known[lexical_order([residual[known], rng.random(len(known))], len(known))[0]]
    classes, first, sizes = np.unique(residual[order], return_index=True, return_counts=True)
    place = np.arange(len(order)) - np.repeat(first, sizes)
    rounded = lower.copy()
    rounded[order] += place < np.repeat(np.rint(sizes * classes / base), sizes)
    return multiples(rounded, base)


def multiples(counts: Floats, base: float) -> Floats:
    """Multiples of the base, each the float nearest to the decimal number: three times 0.1 is 0.3."""
    decimal = Fraction(repr(float(base)))
    most = float(np.fmax.reduce(np.abs(counts), axis=None, initial=0.0))
    if decimal.denominator == 1 or max(most * decimal.numerator, decimal.denominator) > EXACT:
        return base * counts
    # Numerator and denominator are exact, so the division rounds only once.
    return counts * decimal.numerator / decimal.denominator


def split(values: Floats, base: float) -> tuple[Floats, Floats]:
    """Split values into whole multiples of the base and residuals in [0, base).

    A value within rounding error of a multiple counts as one: 0.3 is three times 0.1.
    """
    _check(values, base)
    quotient = values / base
    nearest = np.rint(quotient)
    whole = np.abs(quotient - nearest) <= 4 * np.finfo(float).eps * np.maximum(np.abs(quotient), 1.0)
    lower = np.where(whole, nearest, np.floor(quotient))
    residual = np.where(whole, 0.0, np.clip(values - base * lower, 0.0, base))
    return lower, np.where(np.isnan(values), np.nan, residual)


def _check(values: Floats, base: float) -> None:
    if not (base > 0 and np.isfinite(base)):
        raise ValueError(f"The base of rounding must be a positive number; it is {base}.")
    if np.isinf(values).any():
        raise ValueError("An infinite value cannot be rounded.")
