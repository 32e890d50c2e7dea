"""The attack on rank swapping."""

from __future__ import annotations

from ammg.data.disclosure import RankWindow
from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.measures.attack import Attack, Attempt
from ammg.measures.intruder import Search
from ammg.measures.windows import intersect


class RankWindowLinkage(Attack):
    """Share of released records found by an intruder who knows how far ranks were swapped.

    A value has moved at most the published number of ranks, so the person stands in the windows of all swapped
    attributes at once, and agrees on the attributes that were not changed. Ties keep their whole span of ranks.
    The value is the best of a random candidate, the one nearest in ranks, and links one to one.
    Source: Nin, Herranz and Torra (2008).
    """

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Intersect the windows."""
        reach: dict[str, int] = {}
        for disclosed in pair.disclosed:
            if isinstance(disclosed, RankWindow):
                for name, window in zip(disclosed.columns, disclosed.reach, strict=True):
                    if name in search.known.names:
                        reach[name] = reach.get(name, 0) + window
        if not reach:
            raise NotDefined("no swap range is published for a known attribute")
        if not self.compares(pair):
            raise NotDefined(f"more than {self.most_pairs:.3g} pairs of records")
        return intersect(pair, search, reach)
