"""The attack on microaggregation."""

from __future__ import annotations

import numpy as np

from ammg.data.disclosure import Groups
from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.kernels.rates import link_credit
from ammg.measures.attack import Attack, Attempt, best_of
from ammg.measures.distance_linkage import common_space
from ammg.measures.intruder import Search
from ammg.measures.windows import Window, intersect, windows_of


class GroupLinkage(Attack):
    """Share of released records found by an intruder who knows that groups share their averages.

    Every person looks for the nearest group, plainly and so that each group gets as many people as it has records;
    inside a group of c equal records the chance is 1/c. Attributes that were grouped one by one betray more: a group
    is a run of ranks, so the groups of all attributes are intersected as windows.
    Source: Winkler (2002) on individual ranking; Nin, Herranz and Torra (2008).
    """

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Find the groups of the people sought."""
        groups = [disclosed for disclosed in pair.disclosed if isinstance(disclosed, Groups)]
        grouped = {name for group in groups for name in group.columns if name in search.known.names}
        if not grouped:
            raise NotDefined("no grouping of a known attribute is published")
        steps = [
            (name, Window(0, told.within, told.among)) for told in groups if not told.joint for name in told.columns
        ]
        alone = windows_of(pair, search.known, steps)
        by_group = self._nearest_group(pair, search)
        if not alone or (self.sample is None and not self.compares(pair)):
            return by_group
        by_rank = intersect(pair, search, alone, everybody=self.compares(pair))
        better = max(by_group, by_rank, key=lambda attempt: float(attempt.credit.sum()))
        rates = {**by_group.details["rates"], **by_rank.details["rates"]}
        return Attempt(better.credit, {**by_rank.details, "rates": rates, "best": better.details["best"]})

    def _nearest_group(self, pair: Pair, search: Search) -> Attempt:
        from ammg.kernels.nearest import nearest_credit, number_copies
        from ammg.kernels.nearest_assignment import assign_nearest

        space = common_space(search.known)
        sought = search.origin >= 0
        people = search.origin[sought]
        record_of = np.full(pair.n, -1, dtype=np.int64)
        record_of[people] = np.flatnonzero(sought)
        found = nearest_credit(space.masked, space.original, record_of, kinds=space.kinds)
        nearest = np.zeros(pair.t)
        nearest[sought] = found[people]
        ways = {"nearest_group": nearest}
        if self.compares(pair):
            links = assign_nearest(space.original, space.masked, kinds=space.kinds).links
            copies = number_copies(space.original), number_copies(space.masked)
            ways["full_groups"] = link_credit(links, search.origin, *copies)
        return best_of(ways, sought, {})
