"""Households in the hands of an intruder: who lives together in either file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.kernels.linkage.rates import link_credit
from ammg.measures.linkage.intruder import Search

if TYPE_CHECKING:
    from ammg.kernels.linkage.housemates import Homes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def homes_in(pair: Pair, search: Search) -> Homes | None:
    """The households of both files in the order of a search; None where a file shows none, or nobody lives together."""
    from ammg.kernels.linkage.housemates import Homes

    names = pair.masked.schema.household, pair.original.schema.household
    if names[0] is None or names[1] is None:
        return None
    records = _numbered(pair.codes(names[0], masked=True)[0])[search.records]
    people = _numbered(pair.codes(names[1], masked=False)[0])[search.people]
    if not len(records) or not len(people) or max(np.bincount(records).max(), np.bincount(people).max()) == 1:
        return None
    return Homes.of(records, people)


def household_ways(pair: Pair, search: Search, likelihood: Floats) -> dict[str, Floats]:
    """Links of everybody by the likelihood of whole households; none where nobody lives together."""
    from ammg.kernels.linkage.housemates import number_compositions, with_housemates
    from ammg.kernels.linkage.nearest import number_copies
    from ammg.kernels.linkage.pair_likelihood import hit_chance
    from ammg.kernels.matching.likely_assignment import assign_likely

    homes = homes_in(pair, search)
    if homes is None:
        return {}
    together = with_housemates(likelihood, homes)
    people = number_compositions(number_copies(search.known.original), homes.people)
    records = number_compositions(number_copies(search.known.masked), homes.records)
    return {
        "whole_households": hit_chance(together, search.origin),
        "whole_households_one_to_one": link_credit(assign_likely(together).links, search.origin, people, records),
    }


def _numbered(codes: NDArray[np.int32]) -> Ints:
    """Households from 0; those who have none are alone."""
    alone = codes < 0
    numbers = np.unique(codes, return_inverse=True)[1].reshape(-1).astype(np.int64)
    numbers[alone] = int(numbers.max(initial=-1)) + 1 + np.arange(int(alone.sum()))
    return np.asarray(np.unique(numbers, return_inverse=True)[1].reshape(-1))
