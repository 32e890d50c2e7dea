"""The change of rank correlations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.columns import Profile, profile
from ammg.kernels.pairwise import moments
from ammg.kernels.threads import in_threads
from ammg.measures.loss.distributions.ordered_columns import Floats, OrderedColumn, OrderLoss
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
        if len(self.compared(pair)) < 2:
            raise NotDefined("a correlation needs two numeric attributes")
        if pair.n < 2 or pair.t < 2:
            raise NotDefined("fewer than two records")
        ranked = self.by_column(pair, _ranked)
        sides = zip(*((column.before, column.after) for column in ranked.values()), strict=True)
        lower = np.tril_indices(len(ranked), -1)
        first, second = in_threads(lambda side: _correlations(side)[lower], sides, (pair.n + pair.t) * len(ranked))
        found = replace(averaged((), np.abs(first - np.nan_to_num(second))), by_column={})
        own = [column.own for column in ranked.values() if column.own is not None]
        return replace(found, facts={**found.facts, **({"own": float(np.nan_to_num(own).mean())} if own else {})})


class _Ranks(NamedTuple):
    """Ranks of one column, and their moments."""

    values: Floats
    profile: Profile

    @classmethod
    def of(cls, values: Floats) -> _Ranks:
        """Find the moments."""
        return cls(values, profile(values))


class _Ranked(NamedTuple):
    """The ranks of one column in both files, and their correlation across masking where the link is known."""

    before: _Ranks
    after: _Ranks
    own: float | None


def _ranked(column: OrderedColumn) -> _Ranked:
    before, after = map(_Ranks.of, column.ranks)
    return _Ranked(before, after, _own(column.pair, before, after))


def _own(pair: Pair, before: _Ranks, after: _Ranks) -> float | None:
    if not pair.is_linked:
        return None
    if not pair.is_in_order:
        real = pair.link >= 0
        before, after = _Ranks.of(before.values[pair.link[real]]), _Ranks.of(after.values[real])
    return float(_correlations((before, after))[0, 1]) if len(before.values) > 1 else None


def _correlations(ranks: Sequence[_Ranks]) -> Floats:
    return moments([column.values for column in ranks], [column.profile for column in ranks]).correlation
