"""Probabilistic information loss: discrepancies of statistics as probabilities."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.loss.distributions import share_below
from ammg.kernels.loss.probabilistic_loss import joint_losses, mean_and_variance, quantile_loss
from ammg.kernels.pairwise import complete_records
from ammg.measures.loss.distributions.ordered_columns import Floats, OrderedColumn, OrderLoss
from ammg.measures.measurement import Measurement

SHARES = np.arange(0.05, 0.951, 0.05)


class ProbabilisticInformationLoss(OrderLoss):
    """Probability that a sample of the original file differs less from it than the masked file does.

    The mean over quantiles (5 % to 95 %), means, variances, covariances and correlations, each discrepancy in standard
    errors of a sample of the masked file's size. It is bounded, has no unit and no small denominators; in large files,
    a small bias counts much. A statistic missing from the release counts 1. Source: Mateo-Sanz, Domingo-Ferrer and Sebé
    (2005), Probabilistic information loss measures.
    """

    range = (0.0, 1.0)
    percent = True
    also_called: ClassVar[tuple[str, ...]] = ("PIL",)

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average the five kinds of statistics."""
        found = {name: row for name, row in self.by_column(pair, _of_column).items() if row is not None}
        if not found:
            raise NotDefined("no numeric attribute varies")
        single = np.array(list(found.values()))
        kinds = dict(zip(("quantiles", "means", "variances"), np.nanmean(single, axis=0).tolist(), strict=True))
        if len(found) > 1:
            kinds |= _joint(pair.originals(found), pair.released(found))
        defined = [value for value in kinds.values() if not np.isnan(value)]
        return Measurement(
            sum(defined) / len(defined),
            by_column={name: float(np.nanmean(row)) for name, row in found.items()},
            facts=kinds,
        )


def _of_column(column: OrderedColumn) -> tuple[float, float, float] | None:
    """Losses of the quantiles, the mean and the variance; none of a column that does not vary."""
    if column.spread == 0:
        return None
    before, after = column.sorted
    if not len(after):
        return 1.0, 1.0, 1.0
    points = np.quantile(before, SHARES, method="inverted_cdf")
    below = share_below(before, points)
    return quantile_loss(below, share_below(after, points), len(after)), *mean_and_variance(before, after)


def _joint(before: Floats, after: Floats) -> dict[str, float]:
    """Losses of covariances and correlations, from complete records; 1 where a column is gone."""
    shown = np.array([not np.isnan(column).all() for column in after.T])
    size, kept = after.shape[1], int(shown.sum())
    pairs = size * (size - 1) // 2
    left = kept * (kept - 1) // 2
    sides = [complete_records(side if shown.all() else side[:, shown]) for side in (before, after)]
    if left and min(map(len, sides)) < 2:
        left = 0
    found = joint_losses(*sides) if left else (np.zeros(0), np.zeros(0))
    charged = [(float(np.nansum(losses)) + pairs - left) / max(pairs, 1) for losses in found]
    return dict(zip(("covariances", "correlations"), charged, strict=True))
