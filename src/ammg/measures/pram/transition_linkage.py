"""The attack on random changes of categories."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ammg.data.pair import Pair
from ammg.data.published import Published, Transition
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack, Attempt, Cost, best_of
from ammg.measures.linkage.intruder import Search, untouched
from ammg.measures.linkage.replay_linkage import linked
from ammg.measures.pram.transitions import changes_known, coded


class TransitionLinkage(Attack):
    """Share of released records re-identified by an intruder who knows how likely categories were changed.

    Bayes' rule with the published transition matrices gives each person's probability; attributes that were not changed
    must agree. Changes within groups and of combinations are inverted accordingly. Links go to the most probable
    person, alone and over all matchings, and one to one; with c equally probable people the probability is 1/c. Source:
    Gouweleeuw, Kooiman, Willenborg and De Wolf (1998) for the matrices; the inversion is Bayes' rule.
    """

    works_on: ClassVar[type[Published] | None] = Transition
    refusal: ClassVar[str] = "no transition of a known attribute is published"

    @property
    def cost(self) -> Cost:
        """Links one to one."""
        return Cost.MATCHING

    def chooses(self, pair: Pair) -> bool:
        """The order matters to links one to one alone."""
        from ammg.kernels.matching.likely_assignment import finds_room

        return self.compares(pair) and finds_room(pair.t, pair.n)

    def holds_pairs(self, pair: Pair) -> bool:
        """Only links one to one need a number for each pair."""
        return self.chooses(pair)

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Weigh everybody who agrees on what was not changed."""
        from ammg.kernels.linkage.nearest import number_in_both
        from ammg.kernels.pram.transition_attack import transition_likelihood, transition_posterior

        changes = changes_known(pair, search.known)
        if not changes:
            raise NotDefined(self.refusal)
        same = search.known.only(untouched(pair, search.known, complete=True))
        unchanged = number_in_both(same.original, same.masked)
        cells = coded(pair, search.known, changes)
        sought = search.origin >= 0
        mine = slice(None) if sought.all() else sought
        posterior = transition_posterior(
            cells.codes[0],
            cells.codes[1][mine],
            search.origin[mine],
            cells.matrices,
            (unchanged[0], unchanged[1][mine]),
            (cells.layers[0], cells.layers[1][mine]),
        )
        facts = {
            "mean_probability_of_truth": float(posterior.truth.mean()),
            "mean_largest_probability": float(posterior.largest.mean()),
        }
        found = np.zeros(len(sought))
        found[mine] = posterior.hit
        sureness = np.full(len(sought), np.nan)
        sureness[mine] = posterior.largest
        ways = {"most_probable": found}
        if self.chooses(pair) and not self.enough(found, sought):
            likelihood = transition_likelihood(*cells.codes, cells.matrices, unchanged, cells.layers)
            ways |= linked(self, pair, search, likelihood, {}).ways
        return best_of(ways, sought, facts, sureness)
