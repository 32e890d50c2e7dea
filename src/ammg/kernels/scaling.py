"""Bring columns near one by powers of two: exact, so that no unit of measurement changes a result.

Squares of numbers beyond 1e154 are infinite and those of numbers below 1e-162 are zero. A power of two changes no
digit, so what is computed from scaled columns is what would be computed from the columns, without the limits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Exponents = NDArray[np.int32]

EXTREME = 480
"""Columns whose greatest value is beyond two to this, or below two to its negative, have no safe squares."""
REACH = 250
"""What is larger than two to this beside a column near one is as good as infinitely far."""


def exponents(values: Floats) -> Exponents:
    """The exponent of the greatest finite absolute value of each column (of the whole of a vector); 0 for zeros."""
    sizes = np.abs(values)
    greatest = np.max(np.where(np.isfinite(sizes), sizes, 0.0), axis=0, initial=0.0)
    return np.asarray(np.frexp(greatest)[1], dtype=np.int32)


def only_extreme(found: Exponents) -> Exponents:
    """Exponents of columns that are too large or too small for squares; 0 for the others, which stay as they are."""
    return np.where(np.abs(found) > EXTREME, found, 0).astype(np.int32)


def scaled(values: Floats, by: Exponents) -> Floats:
    """The values divided by two to these exponents; missing values stay."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(values, -by))


def within_reach(values: Floats, greatest: Exponents) -> Floats:
    """The values, none of them so much larger than two to the exponents that its square leaves all others behind."""
    limit = reach(greatest)
    return np.asarray(np.clip(values, -limit, limit)) if np.any(np.abs(values) > limit) else values


def reach(greatest: Exponents) -> Floats:
    """The size beyond which a value is as good as infinitely far from columns with these greatest exponents."""
    return np.asarray(np.ldexp(1.0, np.minimum(greatest, EXTREME) + REACH))
