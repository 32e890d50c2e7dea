"""The change of rank correlations."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.pairwise import pairwise_moments
from ammg.measures.loss.distributions.ordered_columns import Floats, OrderLoss
from ammg.measures.loss.numbers.moment_loss import averaged
from ammg.measures.measurement import Measurement


class RankCorrelationLoss(OrderLoss):
    """Mean absolute change of Spearman's rank correlations.

    Units and monotone transformations of an attribute make no difference. The fact `own` is the mean correlation
    between the ranks of an attribute before and after masking (1 if the order is kept). A correlation missing from the
    release counts as zero.
    """

    range = (0.0, 2.0)
    anchor: ClassVar[Literal["permutation", "constant"]] = "permutation"
    also_called: ClassVar[tuple[str, ...]] = ("SpearmanLoss",)

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare correlations of ranks."""
        columns = self.ordered(pair)
        if len(columns) < 2:
            raise NotDefined("a correlation needs two numeric attributes")
        if pair.n < 2 or pair.t < 2:
            raise NotDefined("fewer than two records")
        before, after = (np.column_stack(side) for side in zip(*(column.ranks for column in columns), strict=True))
        lower = np.tril_indices(len(columns), -1)
        first, second = (pairwise_moments(side).correlation[lower] for side in (before, after))
        found = replace(averaged((), np.abs(first - np.nan_to_num(second))), by_column={})
        return replace(found, facts={**found.facts, **_own(pair, before, after)})


def _own(pair: Pair, before: Floats, after: Floats) -> dict[str, float]:
    """Correlation of each attribute's ranks with themselves across masking, where the link is known."""
    if not pair.is_linked:
        return {}
    real = pair.link >= 0
    kept = before[pair.link[real]]
    if len(kept) < 2:
        return {}
    both = [
        pairwise_moments(np.column_stack(sides)).correlation[0, 1] for sides in zip(kept.T, after[real].T, strict=True)
    ]
    return {"own": float(np.nan_to_num(both).mean())}
