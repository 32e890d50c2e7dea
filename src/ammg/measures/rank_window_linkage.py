"""The attack on rank swapping."""

from __future__ import annotations

from ammg.data.disclosure import RankWindow
from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.measures.attack import Attack, Attempt
from ammg.measures.intruder import Search, untouched
from ammg.measures.windows import intersect


class RankWindowLinkage(Attack):
    """Share of released records found by an intruder who knows how far ranks were swapped.

    A value has moved at most the published number of ranks, so the person stands in the windows of all swapped
    attributes at once, and agrees on the attributes that were not changed, strata of the swap among them. Ties keep
    their whole span of ranks.
    The value is the best of a random candidate, the one nearest in ranks, and links one to one.
    Source: Nin, Herranz and Torra (2008).
    """

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Intersect the windows."""
        reach, strata = _windows(pair, search)
        if not reach:
            raise NotDefined("no swap range is published for a known attribute")
        if not self.compares(pair):
            raise NotDefined(f"more than {self.most_pairs:.3g} pairs of records")
        return intersect(pair, search, reach, strata)


def _windows(pair: Pair, search: Search) -> tuple[dict[str, int], dict[str, tuple[str, ...]]]:
    """How far the values of each known attribute may have moved, and among whom.

    Windows of several steps add up. Ranks within strata tell nothing to whoever does not know the strata, or if the
    release shows others; nor do steps within different strata bound anything together.
    """
    reach: dict[str, int] = {}
    strata: dict[str, set[tuple[str, ...]]] = {}
    shown = set(untouched(pair, search.known))
    for disclosed in pair.disclosed:
        if isinstance(disclosed, RankWindow):
            for name, window in zip(disclosed.columns, disclosed.reach, strict=True):
                reach[name] = reach.get(name, 0) + window
                strata.setdefault(name, set()).add(disclosed.within)
    usable = {
        name: next(iter(within))
        for name, within in strata.items()
        if name in search.known.names and len(within) == 1 and shown.issuperset(*within)
    }
    return {name: reach[name] for name in usable}, usable
