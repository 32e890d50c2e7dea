"""The attack on random changes of categories."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import match_categories
from ammg.data.pair import Pair
from ammg.data.published import Transition
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack, Attempt, best_of
from ammg.measures.linkage.intruder import Knowledge, Search, common_numbers, untouched

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


class TransitionLinkage(Attack):
    """Share of released records found by an intruder who knows how probably categories were changed.

    Bayes' rule with the published transition matrices gives each person's probability; attributes that were not
    changed must agree. Among c equally probable people the chance is 1/c.
    Source: Gouweleeuw, Kooiman, Willenborg and De Wolf (1998) for the matrices; the inversion is Bayes' rule.
    """

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Weigh everybody who agrees on what was not changed."""
        from ammg.kernels.linkage.nearest import number_copies
        from ammg.kernels.pram.transition_attack import transition_posterior

        matrices: dict[str, Transition] = {}
        for published in pair.published:
            if isinstance(published, Transition):
                matrices |= {name: _then(matrices.get(name), published) for name in published.columns}
        changed = [name for name in matrices if name in search.known.names]
        if not changed:
            raise NotDefined("no transition of a known attribute is published")
        codes = [_codes(pair, search.known, name, matrices[name]) for name in changed]
        same, shown = common_numbers(search.known.only(untouched(pair, search.known, complete=True)))
        both = number_copies(np.concatenate([same, shown]).astype(np.float64))
        sought = search.origin >= 0
        posterior = transition_posterior(
            np.column_stack([before for before, _ in codes]),
            np.column_stack([after for _, after in codes])[sought],
            search.origin[sought],
            [_with_error(matrices[name].matrix, search.known, name) for name in changed],
            (both[: pair.n], both[pair.n :][sought]),
        )
        facts = {
            "mean_probability_of_truth": float(posterior.truth.mean()),
            "mean_largest_probability": float(posterior.largest.mean()),
        }
        found = np.zeros(len(sought))
        found[sought] = posterior.hit
        sureness = np.full(len(sought), np.nan)
        sureness[sought] = posterior.largest
        return best_of({"most_probable": found}, sought, facts, sureness)


def _then(before: Transition | None, after: Transition) -> Transition:
    """Two changes of the same categories, one after the other."""
    if before is None or before.categories != after.categories:
        return after
    return Transition(after.columns, before.matrix @ after.matrix, after.categories)


def _codes(pair: Pair, known: Knowledge, name: str, transition: Transition) -> tuple[Codes, Codes]:
    """Both columns in the codes of the matrix; -1 for what it does not know."""
    table = np.append(match_categories(pair.common_codes(name)[2], transition.categories), np.int32(-1))
    place = known.names.index(name)
    before, after = (np.nan_to_num(side[:, place], nan=-1).astype(np.int64) for side in (known.original, known.masked))
    return table[before], table[after]


def _with_error(matrix: Floats, known: Knowledge, name: str) -> Floats:
    """What is released for a category that the intruder holds, which may be wrong itself."""
    error, size = known.error[known.names.index(name)], len(matrix)
    held = (1 - error) * np.eye(size) + error / size
    return np.asarray(held @ matrix)
