"""The attack on rank swapping."""

from __future__ import annotations

from typing import ClassVar

from ammg.data.pair import Pair
from ammg.data.published import Published, RankWindow
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack, Attempt
from ammg.measures.linkage.intruder import Search
from ammg.measures.ranks.windows import Window, intersect, windows_of


class RankWindowLinkage(Attack):
    """Share of released records re-identified by an intruder who knows how far ranks were swapped.

    A value has moved at most the published number of ranks. So the person lies within the rank windows of all swapped
    attributes at once, and agrees on the attributes that were not changed, including the strata of the swap. If the
    swap was limited to some records, ranks are taken among these, and the others must agree on the value. Ties keep
    their whole range of ranks; noise, rounding and measurement error widen it. The value is the best of four ways to
    link: a random candidate, the nearest in ranks, the most probable over all matchings, and one to one. Source: Nin,
    Herranz and Torra (2008).
    """

    works_on: ClassVar[type[Published] | None] = RankWindow
    refusal: ClassVar[str] = "no swap range is published for a known attribute"

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
            raise NotDefined(self.refusal)
        self.refuse_too_many(pair)
        return intersect(pair, search, windows, everybody=self.compares(pair))
