"""Household risk: the probability that at least one member of the household is re-identified."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def household_risk(risk: NDArray[np.float64], households: NDArray[np.int32], n_households: int) -> NDArray[np.float64]:
    """1 - Π (1 - r_i) over the members, for each record (Hundepool et al. 2012, chapter 3).

    Args:
        risk: Individual risk of each record, in [0, 1].
        households: Household of each record, as codes; a record with -1 is a household of its own.
        n_households: Number of codes.
    """
    with np.errstate(divide="ignore"):
        escape = np.log1p(-np.asarray(risk, np.float64))  # -inf where a member is identified for certain
    member = households >= 0
    joint = np.bincount(households[member], weights=escape[member], minlength=n_households)
    escape[member] = joint[households[member]]
    return -np.expm1(escape)
