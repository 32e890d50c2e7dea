"""The attack on rounding."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.published import Published, Rounding
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack, Attempt, Cost
from ammg.measures.linkage.intruder import Search, common_numbers, untouched
from ammg.measures.linkage.replay_linkage import linked
from ammg.measures.noise.exact_laws import disagree

STEPS = 9.0  # units of the table of densities in one base
IMPOSSIBLE = 1e-12


class RoundingLinkage(Attack):
    """Share of released records re-identified by an intruder who knows the base to which numbers were rounded.

    A number goes to the nearest multiple, or at random to the one below or above, with a probability that falls with
    the distance. Multiplied over all rounded attributes, this gives each person a probability; attributes that were not
    changed must agree. Links go to the most probable person, alone and over all matchings, and one to one. It
    re-identifies half of CENSUS (13 attributes) randomly rounded to 20,000. Source: Bayes' rule.
    """

    works_on: ClassVar[type[Published] | None] = Rounding
    refusal: ClassVar[str] = "no rounding of a number known without error is published"

    @property
    def cost(self) -> Cost:
        """Links one to one."""
        return Cost.MATCHING

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Multiply the chances of all attributes."""
        from ammg.kernels.linkage.pair_likelihood import columns_likelihood
        from ammg.kernels.linkage.replay_law import density_law

        facts = [fact for fact in pair.published if isinstance(fact, Rounding)]
        known = search.known
        sure = {
            name
            for name, codes, wrong in zip(known.names, known.categorical, known.error, strict=True)
            if not (codes or wrong)
        }
        rounded = {name: fact for fact in facts if fact.among is None for name in fact.columns if name in sure}
        if not rounded:
            raise NotDefined(self.refusal)
        self.refuse_too_many(pair)
        everybody = self.compares(pair)
        rows = np.arange(pair.t) if everybody else np.flatnonzero(search.origin >= 0)
        some = known.only(list(rounded))
        laws = []
        for j, fact in enumerate(rounded.values()):
            seen = ~np.isnan(some.original[:, j])
            middle = some.original[seen, j].sum() / max(seen.sum(), 1)
            centre = np.where(seen, some.original[:, j], middle)
            laws.append(density_law(some.masked[rows, j], centre, fact.base / STEPS, _log_chances(random=fact.random)))
        likelihood = columns_likelihood(laws, (len(rows), pair.n))
        same, shown = common_numbers(known.only(untouched(pair, known, complete=True)))
        disagree(likelihood, same, shown[rows])
        return linked(self, pair, search, likelihood, {})


def _log_chances(*, random: bool) -> NDArray[np.float64]:
    """The log chance that a number goes to a multiple at each distance, in bins of the table of densities."""
    from ammg.kernels.linkage.replay_law import BINS, EDGE

    edges = np.linspace(-EDGE, EDGE, BINS + 1)
    apart = np.abs(0.5 * (edges[1:] + edges[:-1])) / STEPS
    width = 2 * EDGE / BINS / STEPS
    chance = 1.0 - apart if random else (apart <= 0.5 + width).astype(np.float64)
    return np.asarray(np.log(np.maximum(chance, IMPOSSIBLE)))
