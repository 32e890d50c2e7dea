"""Round a two-way table so that it stays a table: entries, margins and total all go to neighbouring multiples."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.rounding import split

Floats = NDArray[np.float64]


class RoundedTable(NamedTuple):
    """A rounded table with its margins, which are the sums of the rounded entries."""

    cells: Floats
    rows: Floats
    columns: Floats
    total: float


def round_table(cells: Floats, base: float, rng: np.random.Generator) -> RoundedTable:
    """Round a two-way table at random without bias and with all margins kept to neighbouring multiples of the base.

    Controlled random rounding (Cox 1987): every entry, row sum, column sum and the total is one of the two multiples of
    `base` around its true value, with the true value as its expectation, and the rounded table still adds up.
    """
    from ammg.kernels.fraction_rounding import round_fractions

    if cells.ndim != 2:
        raise ValueError(f"Controlled rounding takes a two-way table; this one has {cells.ndim} dimensions.")
    if not np.isfinite(cells).all():
        raise ValueError("A table with missing or infinite entries has no margins to control.")
    lower, residual = split(cells, base)
    rounded = base * (lower + round_fractions(residual / base, rng))
    return RoundedTable(rounded, rounded.sum(axis=1), rounded.sum(axis=0), float(rounded.sum()))
