"""The information loss of masked numbers: IL1, IL1s, IL2 to IL5 and their scores.

Sources: Domingo-Ferrer and Torra (2001), Mateo-Sanz, Sebé and Domingo-Ferrer (2004), Yancey, Winkler and Creecy
(2002). The functions `*_entries` return every cell, column or pair, NaN where it is undefined (a missing value, a zero
denominator), so that a measure can show them by record and by column and penalise suppression; `average` turns them
into the published number.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.pairwise import Moments, pairwise_moments

Floats = NDArray[np.float64]
Il1Version = Literal["symmetric", "original", "record"]
ZeroRule = Literal["constant", "masked"]

NEAR_ZERO = 1e-12
"""A mean or covariance below this share of its standard deviations is not used as a denominator."""

SMALLEST = float(np.finfo(np.float64).tiny)
"""Denominators below this count as zero."""


class InformationLoss(NamedTuple):
    """All losses of one masked file; `skipped` counts the entries of IL2, IL3 and IL4 without a denominator."""

    il1: float
    il1s: float
    il2: float
    il3: float
    il3r: float
    il4: float
    il5: float
    skipped: int

    @property
    def s0(self) -> float:
        """Mean of IL2 to IL5: the loss for an analyst of moments."""
        return (self.il2 + self.il3 + self.il4 + self.il5) / 4

    @property
    def s1(self) -> float:
        """Mean of IL1 to IL5."""
        return (self.il1 + self.il2 + self.il3 + self.il4 + self.il5) / 5

    @property
    def s2(self) -> float:
        """Mean of IL1s, IL2, IL4 and IL5, without the two measures dominated by small denominators."""
        return (self.il1s + self.il2 + self.il4 + self.il5) / 4


def information_loss(
    original: Floats,
    masked: Floats,
    version: Il1Version = "symmetric",
    zero: ZeroRule = "constant",
) -> InformationLoss:
    """Compute every loss between two files with the same records in the same order."""
    before, after = pairwise_moments(original), pairwise_moments(masked)
    relative = (il2_entries(before, after), il3_entries(before, after), il4_entries(before, after))
    return InformationLoss(
        il1=average_il1(il1_entries(original, masked, version, zero), version),
        il1s=average(il1s_entries(original, masked, before.sd)),
        il2=average(relative[0]),
        il3=average(relative[1]),
        il3r=average(il3r_entries(before, after)),
        il4=average(relative[2]),
        il5=average(il5_entries(before, after)),
        skipped=int(sum(np.isnan(entries).sum() for entries in relative)),
    )


def il1_entries(
    original: Floats,
    masked: Floats,
    version: Il1Version = "symmetric",
    zero: ZeroRule = "constant",
    constant: float = 1.0,
) -> Floats:
    """Compute the relative change of every cell.

    `symmetric`: |x - z| over the mean of |x| and |z|, zero if both are zero, at most 2 (Yancey, Winkler, Creecy
    2002). `original`: |x - z| / |x|, where |x| = 0 is replaced by a `constant` or, with the rule `masked`, by |z|; a
    cell of two zeros is left out. `record`: always with the rule `masked` (Mateo-Sanz et al. 2004).
    """
    change = np.subtract(original, masked)
    np.abs(change, out=change)
    size = np.abs(original)
    with np.errstate(invalid="ignore", divide="ignore"):
        if version == "symmetric":  # in place, because files are large
            size += np.abs(masked)
            np.copyto(size, 1.0, where=size == 0)  # two zeros: no change
            np.divide(change, size, out=change)
            change *= 2
            return change
        size = np.where(size < SMALLEST, 0.0, size)  # the ratio would overflow
        if version == "original" and zero == "constant":
            return change / np.where(size == 0, constant, size)
        return change / np.where(size == 0, np.abs(masked), size)


def average_il1(
    entries: Floats,
    version: Il1Version,
    weights: Floats | None = None,
    divisor: Literal["kept", "all"] = "kept",
) -> float:
    """Average the cells of `il1_entries` to IL1: over all cells, or in percent within records and then over records.

    A record's `divisor` is the number of its variables that were not left out, or of all variables.
    """
    if version != "record":
        return average(entries, weights)
    return average(il1_by_record(entries, divisor), weights)


def il1_by_record(entries: Floats, divisor: Literal["kept", "all"] = "kept") -> Floats:
    """Average the cells of each record, in percent: the IL1 of Mateo-Sanz et al. (2004). NaN if no cell was kept."""
    kept = (~np.isnan(entries)).sum(axis=1)
    parts = np.maximum(kept, 1) if divisor == "kept" else entries.shape[1]
    return np.where(kept > 0, 100 * np.nansum(entries, axis=1) / parts, np.nan)


def il1s_entries(original: Floats, masked: Floats, sd: Floats | None = None) -> Floats:
    """Compute |x - z| / (√2 S) of every cell, S the standard deviation of the original file.

    Give `sd` if the records are a part of the file whose standard deviations are to be used. Constant columns have NaN.
    """
    scale = pairwise_moments(original).sd if sd is None else sd
    return np.abs(original - masked) / np.where(scale > 0, np.sqrt(2.0) * scale, np.nan)


def il2_entries(original: Moments, masked: Moments) -> Floats:
    """Compute the relative change of every mean."""
    return _relative(original.mean, masked.mean, original.sd)


def il3_entries(original: Moments, masked: Moments) -> Floats:
    """Compute the relative change of every variance and covariance, lower triangle with the diagonal."""
    lower = np.tril_indices(len(original.mean))
    scale = np.outer(original.sd, original.sd)
    return _relative(original.cov[lower], masked.cov[lower], scale[lower])


def il3r_entries(original: Moments, masked: Moments) -> Floats:
    """Compute the change of every covariance over the product of standard deviations: IL3 with a safe denominator."""
    lower = np.tril_indices(len(original.mean))
    scale = np.outer(original.sd, original.sd)[lower]
    return np.abs(original.cov[lower] - masked.cov[lower]) / np.where(scale > 0, scale, np.nan)


def il4_entries(original: Moments, masked: Moments) -> Floats:
    """Compute the relative change of every variance."""
    return _relative(np.diag(original.cov), np.diag(masked.cov), np.diag(original.cov))


def il5_entries(original: Moments, masked: Moments) -> Floats:
    """Compute the absolute change of every correlation below the diagonal; constant columns have correlation zero."""
    lower = np.tril_indices(len(original.mean), -1)
    return np.abs(original.correlation[lower] - masked.correlation[lower])


def average(entries: Floats, weights: Floats | None = None) -> float:
    """Average the defined entries, weighted by record if weights are given; NaN if nothing is defined."""
    defined = ~np.isnan(entries)
    if not defined.any():
        return float("nan")
    if weights is None:
        return float(entries[defined].mean())
    spread = np.broadcast_to(weights.reshape(-1, *[1] * (entries.ndim - 1)), entries.shape)[defined]
    return float(np.dot(spread, entries[defined]) / spread.sum()) if spread.sum() > 0 else float("nan")


def _relative(original: Floats, masked: Floats, scale: Floats) -> Floats:
    size = np.abs(original)
    return np.abs(original - masked) / np.where((size > 0) & (size >= NEAR_ZERO * scale), size, np.nan)
