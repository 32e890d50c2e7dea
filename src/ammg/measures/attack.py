"""What an attack is: try to find the people behind released records, and count."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.draws import Draws, Secret
from ammg.errors import NotDefined
from ammg.kernels.rates import wilson_interval
from ammg.measures.intruder import Search, held, searches
from ammg.measures.measure import Chart, Measurement
from ammg.measures.record_risk import RecordRisk
from ammg.params import param


@dataclass(frozen=True)
class Attempt:
    """What an attack achieved: for each record of the search the chance that its person was found."""

    credit: NDArray[np.float64]
    details: Mapping[str, Any] = field(default_factory=dict)
    charts: tuple[Chart, ...] = ()


class Attack(RecordRisk):
    """Base of the attacks: the share of released records sought whose person is found.

    Records that stand for nobody (simulated ones), or for nobody in the intruder's external file, are in the intruder's
    way but not in the denominator.
    """

    default: ClassVar[bool] = False

    most_pairs: float = param(
        1e10, "Do not compare more pairs of records than this; links one to one are left out beyond it.", gt=0
    )
    sample: int | None = param(
        None, "Beyond that, seek so many people in the whole release, drawn at random; by default everybody.", ge=1
    )

    @abstractmethod
    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Look for the people of one search; raise `NotDefined` with the reason where this attack does not apply."""

    @classmethod
    def strongest(cls, most_pairs: float) -> list[Self]:
        """The settings that the worst case tries."""
        return [cls(most_pairs=most_pairs)]

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Attack for each group of people of whom the same is known, and count.

        Of whom nothing is known that this attack can use, is not found by it. Of a sample, the records that were not
        looked at get the rate of those that were.
        """
        credit, sought = np.zeros(pair.t), np.zeros(pair.t, dtype=bool)
        details: dict[str, Any] = {}
        charts: tuple[Chart, ...] = ()
        files, knowing = held(pair, scenario)
        unusable: list[NotDefined] = []
        wanted = searches(files, knowing)
        drawn = self._drawn(files, wanted)
        for search in drawn:
            mine = search.records[search.origin >= 0]
            sought[mine] = True
            try:
                attempt = self.attack(files, search)
            except NotDefined as reason:
                unusable.append(reason)
                details["nothing_to_use"] = details.get("nothing_to_use", 0) + len(mine)
                continue
            credit[mine] = attempt.credit[search.origin >= 0]
            details = {"known": list(search.known.names), **attempt.details, **details}
            charts = charts or attempt.charts
        if unusable and details["nothing_to_use"] == sought.sum():
            raise unusable[0]
        details["found"] = float(credit.sum())
        if drawn is not wanted:
            details["sample"] = int(sought.sum())
            rest = np.concatenate([search.records[search.origin >= 0] for search in wanted])
            credit[rest[~sought[rest]]] = credit[sought].mean()
        if scenario.external is not None:
            details["external"] = {"people": files.n, "records_of_them": int(np.sum(files.link >= 0))}
        return self.averaged(pair, credit, sought, details, charts=charts)

    def compares(self, pair: Pair) -> bool:
        """Whether the pairs of records are few enough to look at."""
        return float(pair.n) * pair.t <= self.most_pairs

    def refuse_too_many(self, pair: Pair) -> None:
        """For attacks that look at all pairs: refuse too many of them, unless a sample is sought."""
        if self.sample is None and not self.compares(pair):
            raise NotDefined(f"more than {self.most_pairs:.3g} pairs of records, and no sample of people is sought")

    def _drawn(self, pair: Pair, wanted: list[Search]) -> list[Search]:
        """The searches for everybody, or for a sample that depends on the people's ids alone."""
        sought = [search.people[search.origin[search.origin >= 0]] for search in wanted]
        people = np.unique(np.concatenate(sought))
        if self.sample is None or self.compares(pair) or len(people) <= self.sample:
            return wanted
        order = Draws(Secret.of("people sought")).uniform(people, "sample").argsort(kind="stable")
        chosen = np.zeros(pair.n, dtype=bool)
        chosen[people[order[: self.sample]]] = True
        drawn = [
            replace(
                search, origin=np.where((search.origin >= 0) & chosen[search.people[search.origin]], search.origin, -1)
            )
            for search in wanted
        ]
        return [search for search in drawn if (search.origin >= 0).any()]


def best_of(ways: Mapping[str, NDArray[np.float64]], sought: NDArray[np.bool_], details: Mapping[str, Any]) -> Attempt:
    """The attempt whose way of linking found most, with the rates of all."""
    rates = {way: float(credit[sought].mean()) for way, credit in ways.items()}
    intervals = {way: wilson_interval(float(credit[sought].sum()), int(sought.sum())) for way, credit in ways.items()}
    best = max(rates, key=lambda way: rates[way])
    return Attempt(ways[best], {**details, "rates": rates, "intervals": intervals, "best": best})
