"""The attack on microaggregation."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ammg.data.pair import Pair
from ammg.data.published import Groups, Published
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack, Attempt, best_of, credit_links
from ammg.measures.linkage.distance_linkage import common_space
from ammg.measures.linkage.intruder import Search
from ammg.measures.ranks.windows import Window, intersect, windows_of


class GroupLinkage(Attack):
    """Share of released records re-identified by an intruder who knows that records are group averages.

    Each person is assigned to the nearest group, both freely and with group sizes respected; within a group of c equal
    records the probability is 1/c. Attributes that were grouped one by one reveal more: a group is an interval of
    ranks, so the intervals of all attributes can be intersected. Source: Winkler (2002) on individual ranking; Nin,
    Herranz and Torra (2008).
    """

    works_on: ClassVar[type[Published] | None] = Groups
    refusal: ClassVar[str] = "no grouping of a known attribute is published"

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Find the groups of the people sought."""
        groups = [published for published in pair.published if isinstance(published, Groups)]
        grouped = {name for group in groups for name in group.columns if name in search.known.names}
        if not grouped:
            raise NotDefined(self.refusal)
        steps = [
            (name, Window(0, told.within, told.among)) for told in groups if not told.joint for name in told.columns
        ]
        alone = windows_of(pair, search.known, steps)
        by_group = self._nearest_group(pair, search)
        if not alone or (self.sample is None and not self.compares(pair)):
            return by_group
        by_rank = intersect(pair, search, alone, everybody=self.compares(pair))
        better = max(by_group, by_rank, key=lambda attempt: float(attempt.credit.sum()))
        return best_of({**by_group.ways, **by_rank.ways}, search.origin >= 0, by_rank.facts, better.sureness)

    def _nearest_group(self, pair: Pair, search: Search) -> Attempt:
        from ammg.kernels.linkage.nearest import nearest_credit
        from ammg.kernels.matching.nearest_assignment import assign_nearest

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
            ways["full_groups"] = credit_links(links, search.origin, space.original, space.masked)
        return best_of(ways, sought, {}, self.nearest_sureness(space, search.judged))
