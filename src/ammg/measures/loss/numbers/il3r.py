"""IL3r: the change of covariances with a safe denominator."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ammg.kernels.loss.information_loss import il3r_entries
from ammg.measures.loss.numbers.moment_loss import Compared, NumberLoss, averaged
from ammg.measures.measurement import Measurement


class IL3r(NumberLoss):
    """Mean change of the variances and covariances, in products of the original standard deviations.

    IL3 divides by the covariance itself, so nearly uncorrelated pairs dominate it; here no denominator is small. A
    covariance missing from the release counts as zero.
    """

    def of(self, compared: Compared) -> Measurement:
        """Compare the lower triangles of the covariance matrices."""
        after = compared.after._replace(cov=np.where(np.isnan(compared.after.cov), 0.0, compared.after.cov))
        return replace(averaged((), il3r_entries(compared.before, after)), by_column={})
