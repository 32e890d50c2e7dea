"""People whose own record stands in the release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.spaces import robust_spread
from ammg.measures.linkage.attack import Attack, Attempt, Cost
from ammg.measures.linkage.intruder import Search, held, knowledge, known_sets, targets
from ammg.measures.measurement import Measurement, People
from ammg.params import param

SAME = 1e-9  # of the spread: what writing and reading a number may change


class IntactRecords(Attack):
    """Share of people whose own values are in the release (nearly) unchanged, in any record.

    All attributes that an analyst gets are compared: categories must be equal, and numbers within a small part of their
    robust standard deviation. If c people have these values (or nearly these), the probability is 1/c. If the scenario
    says what the intruder knows, people are distinguished by that alone. The risk is about people, not links: a swapped
    or artificial record discloses the person whom it describes. Suppressed values protect.
    """

    exempt: ClassVar[Mapping[str, str]] = {
        "recoding_alone": "it compares all attributes that an analyst gets, not only the known ones",
        "independent_files": "a person whose values are not in the release is not found, not even by chance",
    }
    reads_description: ClassVar[bool] = False

    near: float = param(0.01, "Largest difference of a number, in robust standard deviations.", ge=0, le=1)
    columns: tuple[str, ...] | None = param(None, "Attributes to compare; by default all that an analyst gets.")

    @property
    def cost(self) -> Cost:
        """A search for neighbours."""
        return Cost.SEARCH

    def found(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Look for every person sought."""
        from ammg.kernels.blocks import rows_of
        from ammg.kernels.linkage.intact_records import Files

        files, knowing = held(pair, scenario)
        wanted = targets(files, knowing)
        if not len(wanted) or not pair.t:
            raise NotDefined("there are no targets, or nothing is released")
        known = knowledge(files, self.columns or files.analysed(), Scenario())
        told_apart = bool(scenario.known or scenario.known_by_record or scenario.error)
        spread = robust_spread(known.original, known.categorical)
        compared = Files(known.original, known.masked)
        chance = np.zeros(files.n)
        shown = wanted[compared.shows(rows_of(known.original, wanted), self.near * spread)]
        exact = min(SAME, self.near)
        is_same = compared.shows(rows_of(known.original, shown), exact * spread)
        for near, people in ((exact, shown[is_same]), (self.near, shown[~is_same])):
            if told_apart:
                chance[people] = 1 / self._alike(files, knowing, near)[people]
            else:
                chance[people] = 1 / compared.alike(rows_of(known.original, people), near * spread)
        sought = np.zeros(files.n, dtype=bool)
        sought[wanted] = True
        everybody = Pair(files.original, files.original, np.arange(files.n))
        of_people = self.averaged(everybody, chance, sought, {"compared": known.names})
        by_record = np.where(files.link >= 0, chance[files.link], 0.0) if files.n else np.zeros(pair.t)
        return Measurement(
            value=of_people.value,
            interval=of_people.interval,
            facts={**of_people.facts, "intact": len(shown), "exactly": int(is_same.sum())},
            people=People(by_record),
        )

    def _alike(self, pair: Pair, scenario: Scenario, near: float) -> NDArray[np.float64]:
        """How many people the intruder cannot tell from each person sought."""
        from ammg.kernels.linkage.intact_records import count_within
        from ammg.kernels.linkage.nearest import tree_of

        alike = np.ones(pair.n)
        for names, members in known_sets(pair, scenario):
            known = knowledge(pair, names, Scenario())
            error = np.array([scenario.error.get(name, 0.0) for name in known.names])
            sure = ~known.categorical | (error == 0)
            reach = np.maximum(near * robust_spread(known.original, known.categorical), 3 * error)[sure]
            rows = np.flatnonzero(members)
            some = known.original[:, sure]
            alike[rows] = np.maximum(count_within(tree_of(some), some[rows], reach), 1) if sure.any() else pair.n
        return alike

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """People are looked for all at once, in `found`."""
        raise NotDefined("this risk is about people, not about searches")
