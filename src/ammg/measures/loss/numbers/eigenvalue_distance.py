"""The change of the eigenvalues of the correlation matrix."""

from __future__ import annotations

import numpy as np

from ammg.errors import NotDefined
from ammg.kernels.loss.eigenvalues import eigenvalue_entries
from ammg.measures.loss.numbers.moment_loss import Compared, NumberLoss
from ammg.measures.measurement import Measurement


class EigenvalueDistance(NumberLoss):
    """Sum of the relative changes of the eigenvalues of the correlation matrix.

    This is sdcMicro's `eigen`. Eigenvalues that are zero up to rounding, as with attributes that add up, are left out;
    sdcMicro divides by them. A correlation missing from the release counts as zero.
    """

    def of(self, compared: Compared) -> Measurement:
        """Compare correlation matrices."""
        before, after = (np.nan_to_num(side.correlation) for side in (compared.before, compared.after))
        if not before.any():
            raise NotDefined("no numeric attribute varies")
        entries = eigenvalue_entries(before, after)
        skipped = int(np.isnan(entries).sum())
        return Measurement(float(np.nansum(entries)), facts={"skipped": skipped})
