"""Scale columns to about one by powers of two: exact, so that no unit of measurement changes a result.

Squares of numbers beyond 1e154 are infinite and those of numbers below 1e-162 are zero. A power of two changes no
digit, so results computed from scaled columns equal those from the columns themselves, without these limits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Exponents = NDArray[np.int32]

EXTREME = 480
"""Exponents of two beyond which, or below whose negative, the largest value of a column has no safe square."""
REACH = 250
"""Exponent of two beyond which a value counts as infinitely far from a column near one."""


def exponents(values: Floats) -> Exponents:
    """The exponent of the largest finite absolute value of each column (or of a whole vector); 0 for zeros."""
    sizes = np.abs(values)
    greatest = np.max(np.where(np.isfinite(sizes), sizes, 0.0), axis=0, initial=0.0)
    return np.asarray(np.frexp(greatest)[1], dtype=np.int32)


def only_extreme(found: Exponents) -> Exponents:
    """Exponents of columns too large or too small for squares; 0 for the others, which stay unchanged."""
    return np.where(np.abs(found) > EXTREME, found, 0).astype(np.int32)


def scaled(values: Floats, by: Exponents) -> Floats:
    """The values divided by two to these exponents; missing values stay."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(values, -by))


def within_reach(values: Floats, greatest: Exponents) -> Floats:
    """The values, limited so that none exceeds two to the exponents by so much that its square dominates all others."""
    limit = reach(greatest)
    return np.asarray(np.clip(values, -limit, limit)) if np.any(np.abs(values) > limit) else values


def reach(greatest: Exponents) -> Floats:
    """The size beyond which a value counts as infinitely far from columns with these largest exponents."""
    return np.asarray(np.ldexp(1.0, np.minimum(greatest, EXTREME) + REACH))
