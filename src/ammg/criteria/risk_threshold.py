"""The calculator of μ-ARGUS for risk thresholds, unsafe records and the expected re-identification rate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class RiskCurve:
    """The risks of a file in increasing order, with their running sum (sums[i] is the sum of the i smallest)."""

    risks: NDArray[np.float64]
    sums: NDArray[np.float64]

    @property
    def expected(self) -> float:
        """Expected number of re-identifications: the sum of the risks."""
        return float(self.sums[-1])

    @property
    def rate(self) -> float:
        """Expected share of re-identified records: the global risk of the file."""
        return self.expected / max(1, self.risks.size)

    def unsafe(self, threshold: float) -> int:
        """How many records have a risk above the threshold."""
        return self.risks.size - int(np.searchsorted(self.risks, threshold, side="right"))

    def rate_below(self, threshold: float) -> float:
        """Expected re-identification rate once the risk of every unsafe record has been reduced to the threshold.

        ξ(t) = (sum of r_i <= t, plus t for each r_i > t) / n; an upper bound, because suppression often overshoots
        (Hundepool et al. 2012, chapter 3).
        """
        unsafe = self.unsafe(threshold)
        return float(self.sums[self.risks.size - unsafe] + threshold * unsafe) / max(1, self.risks.size)

    def threshold_for_rate(self, rate: float) -> float:
        """The largest threshold whose rate stays at or below `rate`; 1 when the file already does."""
        n = self.risks.size
        if self.rate <= rate:
            return 1.0
        # ξ is piecewise linear between observed risks and increasing: find the piece, then solve it
        at_risks = self.sums[1:] + self.risks * (n - 1 - np.arange(n))
        piece = min(n - 1, int(np.searchsorted(at_risks, rate * n, side="right")))  # rounding can point past the end
        return float((rate * n - self.sums[piece]) / (n - piece))


def risk_curve(risks: NDArray[np.float64]) -> RiskCurve:
    """Sort the risks of the records for the curve."""
    ordered = np.sort(np.asarray(risks, np.float64))
    return RiskCurve(ordered, np.concatenate([np.zeros(1), np.cumsum(ordered)]))
