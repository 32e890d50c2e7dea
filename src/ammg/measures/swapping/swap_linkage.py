"""The attack on data swapping."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.published import Published, Suppression, Swapped
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack, Attempt, Cost, best_of
from ammg.measures.linkage.intruder import Search, untouched
from ammg.measures.measurement import Fact

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class SwapLinkage(Attack):
    """Share of released records re-identified by an intruder who knows which attributes were swapped.

    Attributes that were not exchanged must agree. Among the people who agree on them, those who also agree on the
    exchanged attributes are most probable, because most records keep their values; if nobody does, the record was
    exchanged, and all are equally likely. If risky records were exchanged first, agreement on a rare combination
    suggests the opposite, so the attack is also tried without the exchanged values. With c people equally likely, the
    probability is 1/c. Source: Bayes' rule with the published rate and controls; Dalenius and Reiss (1982) for the
    exchange.
    """

    works_on: ClassVar[type[Published] | None] = Swapped
    refusal: ClassVar[str] = "no exchange of a known attribute is published"

    @property
    def cost(self) -> Cost:
        """Records are sorted, not compared in pairs."""
        return Cost.SEARCH

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Match on what stayed, then on what was exchanged."""
        told = [fact for fact in pair.published if isinstance(fact, Swapped)]
        exchanged = [name for name in search.known.names if any(name in fact.columns for fact in told)]
        if not exchanged:
            raise NotDefined(self.refusal)
        # An exchange leaves missing values where they are: they agree like any other value unless some are suppressed.
        suppressed = any(isinstance(fact, Suppression) for fact in pair.published)
        stayed = untouched(pair, search.known, complete=suppressed)
        sought = search.origin >= 0
        without = _matched(search, stayed)
        both = _matched(search, [*stayed, *exchanged])
        ways = {
            "exchanged_or_not": np.where(both.shared > 0, both.chance, without.chance),
            "without_the_exchanged": without.chance,
        }
        sureness = np.divide(1.0, both.shared, out=np.full(len(sought), np.nan), where=both.shared > 0)
        rate = max(fact.rate for fact in told)
        facts: dict[str, Fact] = {
            "exchanged": tuple(exchanged),
            "rate": rate,
            "agree": float((both.shared > 0)[sought].mean()),
        }
        return best_of(ways, sought, facts, sureness)


class _Match:
    """For each released record how many people agree with it, and the chance to find its own among them."""

    def __init__(self, shared: Floats, own: NDArray[np.bool_]) -> None:
        self.shared = shared
        self.chance = np.divide(own, shared, out=np.zeros(len(own)), where=shared > 0)


def _matched(search: Search, names: list[str]) -> _Match:
    from ammg.kernels.linkage.nearest import number_in_both

    some = search.known.only(names)
    people, records = number_in_both(some.original, some.masked)
    counts = np.bincount(people, minlength=int(records.max(initial=0)) + 1)
    real = search.origin >= 0
    own = real & (people[search.origin] == records if len(people) else False)
    return _Match(counts[records].astype(np.float64), own)
