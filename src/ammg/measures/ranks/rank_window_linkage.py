"""The attack on rank swapping."""

from __future__ import annotations

from ammg.data.pair import Pair
from ammg.data.published import RankWindow
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack, Attempt
from ammg.measures.linkage.intruder import Search
from ammg.measures.ranks.windows import Window, intersect, windows_of


class RankWindowLinkage(Attack):
    """Share of released records found by an intruder who knows how far ranks were swapped.

    A value has moved at most the published number of ranks, so the person stands in the windows of all swapped
    attributes at once, and agrees on the attributes that were not changed, strata of the swap among them. Of a swap
    that was limited to some records, ranks are those among these records, and the others agree on the value. Ties keep
    their whole span of ranks; noise, rounding and errors of measurement widen it.
    The value is the best of a random candidate, the one nearest in ranks, the most probable over all matchings of
    people and records, and links one to one.
    Source: Nin, Herranz and Torra (2008).
    """

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Intersect the windows."""
        steps = [
            (name, Window(reach, told.within, told.among))
            for told in pair.published
            if isinstance(told, RankWindow)
            for name, reach in zip(told.columns, told.reach, strict=True)
        ]
        windows = windows_of(pair, search.known, steps)
        if not windows:
            raise NotDefined("no swap range is published for a known attribute")
        self.refuse_too_many(pair)
        return intersect(pair, search, windows, everybody=self.compares(pair))
