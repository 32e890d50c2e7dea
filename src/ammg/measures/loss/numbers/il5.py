"""IL5: the change of correlations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ammg.errors import NotDefined
from ammg.kernels.loss.information_loss import il5_entries
from ammg.measures.loss.numbers.moment_loss import Compared, NumberLoss, averaged
from ammg.measures.measurement import Measurement


class IL5(NumberLoss):
    """Mean absolute change of the correlations.

    Source: Domingo-Ferrer and Torra (2001); Yancey, Winkler and Creecy (2002), section 2.4.
    """

    range = (0.0, 2.0)

    def of(self, compared: Compared) -> Measurement:
        """Compare correlations; one that the release does not have counts as zero there."""
        if len(compared.names) < 2:
            raise NotDefined("a correlation needs two numeric attributes")
        lower = np.tril_indices(len(compared.names), -1)
        before, after = compared.before.correlation[lower], compared.after.correlation[lower]
        entries = np.where(np.isnan(after), np.abs(before), il5_entries(compared.before, compared.after))
        return replace(averaged((), entries), by_column={})
