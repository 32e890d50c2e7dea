"""Factors with mean one, which make the error of a value proportional to the value."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def lognormal_factors(normals: Floats, cv: float) -> Floats:
    """Turn normals into positive factors with mean one and coefficient of variation `cv` (Kim and Winkler 2003)."""
    _check_cv(cv)
    variance = np.log1p(cv**2)
    return np.asarray(np.exp(np.sqrt(variance) * normals - variance / 2))


def truncated_normal_factors(uniforms: Floats, cv: float, reach: float = 2.0) -> Floats:
    """Turn uniforms into normal factors around one, cut at `reach` standard deviations on both sides.

    The standard deviation before the truncation is such that `cv` is the one after it. Factors stay positive as long as
    `reach` of those standard deviations is below one, which is checked.
    """
    _check_cv(cv)
    from scipy.special import ndtr, ndtri

    density = np.exp(-(reach**2) / 2) / np.sqrt(2 * np.pi)
    inside = float(ndtr(reach) - ndtr(-reach))
    sd = cv / np.sqrt(1.0 - 2 * reach * density / inside)
    if reach * sd >= 1:
        raise ValueError(
            f"Factors of {1 - reach * sd:.2f} would change signs: take a cv below {cv / (reach * sd):.3f}."
        )
    return np.asarray(1.0 + sd * ndtri(ndtr(-reach) + inside * uniforms))


def two_sided_factors(uniforms: Floats, least: float, most: float) -> Floats:
    """Turn uniforms into factors that change every value by at least the share `least` and at most `most`.

    Half of them lie above one and half below, denser near `least`: the split triangular distribution of Evans, Zayatz
    and Slanta (1998). No value stays unchanged.
    """
    if not 0 <= least < most < 1:
        raise ValueError(f"The changes must be shares with 0 <= least < most < 1; they are {least} and {most}.")
    side = np.where(uniforms < 0.5, -1.0, 1.0)
    within = np.where(uniforms < 0.5, 2 * uniforms, 2 * uniforms - 1)
    return 1.0 + side * (most - (most - least) * np.sqrt(1.0 - within))


def _check_cv(cv: float) -> None:
    if not cv > 0:
        raise ValueError(f"The coefficient of variation must be positive; it is {cv}.")
