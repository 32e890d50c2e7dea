"""The attack on households that are released whole."""

from __future__ import annotations

from collections.abc import Set
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack, Attempt, Cost, best_of
from ammg.measures.linkage.housemates import homes_in
from ammg.measures.linkage.intruder import Search

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class HouseholdLinkage(Attack):
    """Share of released records re-identified by an intruder who looks for whole households.

    The intruder knows who lives together, and the release shows it. Among the people who agree with a record on the
    known attributes, the intruder keeps those whose household has the same members; if there are none, those whose
    household has the same size; and if there are none either, all who agree. With c people left, the probability is
    1/c. After random changes, the likelihood-based attacks add up the evidence of all members. Source: Hundepool et al.
    (2012), section 3.3.
    """

    reads_description: ClassVar[bool] = False
    refusal: ClassVar[str] = "the files do not show who lives together"

    @property
    def cost(self) -> Cost:
        """Records are sorted, not compared in pairs."""
        return Cost.SEARCH

    def refuse(self, pair: Pair, known: Set[str]) -> None:
        """Refuse files without a household in both."""
        if None in (pair.original.schema.household, pair.masked.schema.household):
            raise NotDefined(self.refusal)

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Match whole households, then their sizes, then single people."""
        from ammg.kernels.linkage.housemates import number_compositions
        from ammg.kernels.linkage.nearest import number_in_both

        homes = homes_in(pair, search)
        if homes is None:
            raise NotDefined(self.refusal)
        kinds = np.concatenate(number_in_both(search.known.original, search.known.masked))
        places = np.concatenate([homes.people, homes.records + int(homes.people.max()) + 1])
        sizes = np.bincount(places)[places]
        sought = search.origin >= 0
        chance, shared = np.zeros(pair.t), np.zeros(pair.t)
        for numbers in (number_compositions(kinds, places), kinds * (int(sizes.max()) + 1) + sizes, kinds):
            of_people, of_records = numbers[: pair.n], numbers[pair.n :]
            alike = np.bincount(of_people, minlength=int(numbers.max()) + 1)[of_records]
            own = sought & (of_people[search.origin] == of_records)
            mine = (shared == 0) & (alike > 0)
            chance[mine] = own[mine] / alike[mine]
            shared = np.where(mine, alike, shared)
        sureness = np.divide(1.0, shared, out=np.full(pair.t, np.nan), where=shared > 0)
        return best_of({"members": chance}, sought, {"households_complete": homes.complete}, sureness)
