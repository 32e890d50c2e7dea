"""The attack on local recoding."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import match_categories
from ammg.data.pair import Pair
from ammg.data.published import Published, ValueSets
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack, Attempt, Cost
from ammg.measures.linkage.intruder import Search, common_numbers, untouched
from ammg.measures.linkage.replay_linkage import linked
from ammg.measures.noise.exact_laws import DISAGREES, disagree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class ValueSetLinkage(Attack):
    """Share of released records re-identified by an intruder who knows what each interval and class can stand for.

    A person can only belong to records whose intervals and classes contain all known values, and more likely to those
    that few people fit. Attributes that were not changed must agree. Links go to the most probable person, alone and
    over all matchings, and one to one. Groups of k equal records leave at most 1/k. Source: Bayes' rule; Goldberger and
    Tassa (2010) on attacks by matching.
    """

    works_on: ClassVar[type[Published] | None] = ValueSets
    refusal: ClassVar[str] = "no local recoding of an attribute known without error is published"

    @property
    def cost(self) -> Cost:
        """Links one to one."""
        return Cost.MATCHING

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Multiply the chances of all attributes."""
        known = search.known
        sure = [name for name, wrong in zip(known.names, known.error, strict=True) if not wrong]
        sets = {name: told for name in sure if (told := pair.value_sets(name)) is not None}
        if not sets:
            raise NotDefined(self.refusal)
        self.refuse_too_many(pair)
        rows = np.arange(pair.t) if self.compares(pair) else np.flatnonzero(search.origin >= 0)
        likelihood = np.zeros((len(rows), len(known.original)))
        for name, told in sets.items():
            _add(likelihood, pair, search, name, told, rows)
        same, shown = common_numbers(known.only(untouched(pair, known, complete=True)))
        disagree(likelihood, same, shown[rows])
        return linked(self, pair, search, likelihood, {})


def _add(likelihood: Floats, pair: Pair, search: Search, name: str, told: ValueSets, rows: Ints) -> None:
    """Add the log chance that a set holds each person: one over how many it holds."""
    place = search.known.names.index(name)
    mine = search.known.original[:, place]
    seen = ~np.isnan(mine)
    values, of_person = np.unique(mine[seen], return_inverse=True)
    released, categories = pair.codes(name, masked=True)
    in_told = np.append(match_categories(categories, told.after), np.int32(-1))
    classes, of_row = np.unique(in_told[released[search.records[rows]]], return_inverse=True)
    if search.known.categorical[place]:
        dictionary = pair.common_codes(name)[2]
        held = told.holding([dictionary[int(code)] for code in values.tolist()])
    else:
        held = told.holding(values.tolist())
    held = held[classes]
    people = held @ np.bincount(of_person, minlength=len(values))
    table = np.where(held, -np.log(np.maximum(people, 1))[:, None], -DISAGREES)
    table[classes < 0] = 0.0
    whole = np.append(table, np.zeros((len(table), 1)), axis=1)  # nothing is known of those in the last column
    column = np.full(len(mine), len(values))
    column[seen] = of_person
    likelihood += whole[of_row.reshape(-1)][:, column]
