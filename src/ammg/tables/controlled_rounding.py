"""Controlled rounding of a two-way table: entries, margins and total go to neighbouring multiples and still add up."""

from __future__ import annotations

from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.native import Native
from ammg.errors import InputError
from ammg.kernels.rounding.rounding import EXACT, multiples, split

Floats = NDArray[np.float64]


class RoundedTable(NamedTuple):
    """A rounded table with its margins, which are the sums of the rounded entries."""

    cells: Floats
    rows: Floats
    columns: Floats
    total: float


def round_table(cells: Any, base: float, rng: np.random.Generator | int | None = None) -> RoundedTable:
    """Round a two-way table at random, without bias, so that all margins also go to neighbouring multiples of the base.

    Controlled random rounding (Cox 1987): every entry, row sum, column sum and the total is one of the two multiples of
    `base` around its true value, with the true value as its expectation, and the rounded table still adds up. `cells`
    is an array, lists of rows, or a table of numbers; `rng` is a generator or a seed; omit it for fresh randomness.
    """
    from ammg.kernels.rounding.fraction_rounding import round_fractions

    if not (isinstance(base, Real) and np.isfinite(base) and base > 0):
        raise InputError(f"The base is {base}: it must be a positive number.")
    values = _table(cells)
    if not np.isfinite(values).all():
        raise InputError("A table with missing or infinite entries has no margins to control: fill them in.")
    if (total := float(np.abs(values).sum())) > base * EXACT:
        raise InputError(f"The table adds up to {total:g}, too many multiples of {base:g} to count: raise the base.")
    lower, residual = split(values, base)
    counts = lower + round_fractions(residual / base, np.random.default_rng(rng))
    rows, columns, whole = (multiples(counts.sum(axis=axis), base) for axis in (1, 0, None))
    return RoundedTable(multiples(counts, base), rows, columns, float(whole))


def _table(cells: Any) -> Floats:
    if not isinstance(cells, np.ndarray | list | tuple):
        cells = Native.of(cells).to_polars(cells).to_numpy()
    try:
        values = np.asarray(cells, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("The table is not one of numbers: give rows of the same length, without labels.") from None
    if values.ndim != 2:
        raise InputError(f"Controlled rounding takes a two-way table; this one has {values.ndim} dimensions.")
    return values
