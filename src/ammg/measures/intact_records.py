"""People whose own record stands in the release."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.attack import Attack, Attempt
from ammg.measures.intruder import Knowledge, Search, knowledge, targets
from ammg.measures.measure import Measurement
from ammg.params import param


class IntactRecords(Attack):
    """Share of people whose own values stand in the release, intact or nearly so, whatever record they came from.

    All attributes that an analyst gets are compared: categories must be equal, numbers within a small part of a
    standard deviation. Where c people look alike the chance is 1/c. Risk is about people, not links: records that were
    exchanged between people, or made from nobody, disclose whom they describe. A suppressed value protects.
    """

    near: float = param(0.01, "Greatest difference of a number, in standard deviations.", ge=0, le=1)
    columns: tuple[str, ...] | None = param(None, "Attributes to compare; by default all that an analyst gets.")

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Look for every person sought."""
        from ammg.kernels.intact_records import find_intact

        wanted = targets(pair, scenario)
        if not len(wanted) or not pair.t:
            raise NotDefined("nobody is sought, or nothing is released")
        known = knowledge(pair, self.columns or pair.analysed(), Scenario())
        found = find_intact(known.original, known.masked, self.near * _deviations(known), wanted)
        chance = np.zeros(pair.n)
        chance[wanted] = found.credit
        sought = np.zeros(pair.n, dtype=bool)
        sought[wanted] = True
        people = Pair(pair.original, pair.original, np.arange(pair.n))
        of_people = self.averaged(people, chance, sought, {"compared": list(known.names)})
        by_record = np.where(pair.link >= 0, chance[pair.link], 0.0) if pair.n else np.zeros(pair.t)
        return Measurement(
            value=of_people.value,
            interval=of_people.interval,
            by_record=by_record,
            details={**of_people.details, "intact": int((found.released > 0).sum())},
        )

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """People are looked for all at once, in `measure`."""
        raise NotDefined("this risk is about people, not about searches")


def _deviations(known: Knowledge) -> NDArray[np.float64]:
    """Standard deviations of the original numbers; 0 for categories, which must be equal."""
    seen = ~np.isnan(known.original)
    count = np.maximum(seen.sum(axis=0), 1)
    mean = np.where(seen, known.original, 0.0).sum(axis=0) / count
    squares = (np.where(seen, known.original - mean, 0.0) ** 2).sum(axis=0)
    return np.where(known.categorical, 0.0, np.sqrt(squares / np.maximum(count - 1, 1)))
