"""The change of the eigenvalues of a robust covariance matrix."""

from __future__ import annotations

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.loss.eigenvalues import eigenvalue_entries
from ammg.kernels.loss.robust_covariance import robust_covariance
from ammg.kernels.outliers import robust_scale
from ammg.kernels.pairwise import complete_records, fill_missing
from ammg.measures.loss.numbers.moment_loss import Floats
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement
from ammg.params import param


class RobustEigenvalueDistance(Loss):
    """Sum of the relative changes of the eigenvalues of a robust covariance matrix.

    Values are in units of the original median absolute deviation (or standard deviation, if more than half of the
    values are equal). The covariance is the orthogonalised Gnanadesikan-Kettenring estimator (Maronna and Zamar 2002),
    which is deterministic; sdcMicro's `robeigen` uses the minimum covariance determinant, which is random. Records with
    a missing value are left out; a dropped column counts as constant.
    """

    columns: tuple[str, ...] | None = param(None, "Numeric attributes to compare; by default all that an analyst gets.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare robust covariance matrices."""
        names = pair.numeric(self.columns)
        if not names:
            raise NotDefined("no numeric attribute to compare")
        before, after = pair.originals(names), pair.released(names)
        before = complete_records(before)
        if len(before) < 2 or len(after) < 2:
            raise NotDefined("fewer than two complete records")
        scale = robust_scale(before)
        varying = scale > 0
        if not varying.any():
            raise NotDefined("no numeric attribute varies")
        if not varying.all():
            before, after, scale = before[:, varying], after[:, varying], scale[varying]
        entries = eigenvalue_entries(*(robust_covariance(side / scale) for side in (before, _complete(after))))
        return Measurement(
            float(np.nansum(entries)), facts={"skipped": int((~varying).sum()) + int(np.isnan(entries).sum())}
        )


def _complete(values: Floats) -> Floats:
    """Complete records; columns that nobody shows are constant."""
    gone = [place for place, column in enumerate(values.T) if np.isnan(column).all()]
    if gone:
        values = values.copy()
        values[:, gone] = 0.0
    complete = complete_records(values)
    return complete if len(complete) > 1 else fill_missing(values)
