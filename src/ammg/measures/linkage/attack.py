"""What an attack is: try to find the people behind released records, and count."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.published import Published, Recoding
from ammg.data.scenario import Scenario
from ammg.draws import Draws, Secret
from ammg.errors import NotDefined
from ammg.kernels.blas import one_blas_thread
from ammg.kernels.blocks import over_blocks
from ammg.kernels.columns import selected
from ammg.kernels.linkage.rates import link_credit, wilson_interval
from ammg.kernels.threads import AT_ONCE, in_threads
from ammg.measures.linkage.fewer_attributes import clearly_better, fewer_attributes, with_only
from ammg.measures.linkage.intruder import Search, check_known, held, known_sets, searches
from ammg.measures.measurement import Chart, Fact, Measurement, Table, shares, text
from ammg.measures.population.record_risk import RecordRisk
from ammg.params import param

if TYPE_CHECKING:
    from ammg.kernels.kd_tree import KdTree
    from ammg.kernels.spaces import Space

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SUREST = 0.05
"""Share of the surest links for which an attack is also shown separately."""


class Cost(IntEnum):
    """What an attack costs: the worst case tries cheap attacks first, which often suffice to break a limit."""

    SEARCH = 1
    """About n log n: nearest neighbours and the like."""
    PAIRS = 2
    """All pairs of records."""
    MATCHING = 3
    """All pairs, and links one to one."""
    REPLAYS = 4
    """Runs of the recipe, then all pairs."""


@dataclass(frozen=True)
class Attempt:
    """What an attack achieved: for each record of the search the chance that its person was found."""

    credit: Floats
    facts: Mapping[str, Fact] = field(default_factory=dict)
    charts: tuple[Chart, ...] = ()
    tables: Mapping[str, Table] = field(default_factory=dict)
    ways: Mapping[str, Floats] = field(default_factory=dict)
    """The credit of each way to link, where several were tried."""
    sureness: Floats | None = None
    """How sure the intruder is of each link, on any scale; NaN where there is none."""


class Attack(RecordRisk):
    """Base of the attacks: the share of targeted released records whose person is found.

    Records that stand for nobody (simulated ones), or for nobody in the intruder's external file, can mislead the
    intruder but do not count in the denominator.
    """

    reads_description: ClassVar[bool] = True
    """Whether it uses published facts other than recodings, which every attack uses."""
    works_on: ClassVar[type[Published] | None] = None
    """The kind of published fact about a known attribute without which it can do nothing."""
    refusal: ClassVar[str] = ""
    """The reason it gives without such a fact."""

    most_pairs: float = param(
        1e10, "Largest number of record pairs to compare; beyond it, one-to-one links are left out.", gt=0
    )
    sample: int | None = param(
        None,
        "Beyond that, search for a random sample of this many people in the whole release; by default for everybody.",
        ge=1,
    )

    limit: float | None = param(
        None, "Stop as soon as more than this share is found: the limit is broken then.", ge=0, le=1
    )

    @property
    def cost(self) -> Cost:
        """The class of its costs."""
        return Cost.PAIRS

    def holds_pairs(self, pair: Pair) -> bool:
        """Whether it may hold a number for each pair of records: it then tries one set of attributes at a time."""
        return self.cost is not Cost.SEARCH

    def chooses(self, pair: Pair) -> bool:
        """Whether the order of records can matter, as it does if one of several equally good links is chosen."""
        return True

    def enough(self, credit: NDArray[np.float64], sought: NDArray[np.bool_]) -> bool:
        """Whether the limit is broken already."""
        return self.limit is not None and bool(sought.any()) and float(credit[sought].mean()) > self.limit

    def two_nearest(self, space: Space, asked: Ints, tree: KdTree | None = None) -> Floats:
        """Distances of the records asked for from the nearest and second nearest person; infinite for the others.

        They tell how sure a link is and take longer to find than the links: with a limit nobody asks. `tree` is that of
        the originals.
        """
        from ammg.kernels.linkage.nearest import tree_of, two_nearest

        if self.limit is not None or len(space.original) < 2 or not space.masked.size:
            return np.full((len(space.masked), 2), np.inf)
        return two_nearest(
            tree or tree_of(space.original, space.kinds, searches=len(space.masked)), space.masked, asked
        )

    def nearest_sureness(self, space: Space, asked: Ints) -> Floats:
        """How much nearer the nearest person is than the next, from 0 to 1, for the records asked for."""
        return sureness_of(self.two_nearest(space, asked))

    @abstractmethod
    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Look for the people of one search; raise `NotDefined` with the reason where this attack does not apply."""

    @classmethod
    def strongest(cls, most_pairs: float) -> list[Self]:
        """The settings that the worst case tries."""
        return [cls(most_pairs=most_pairs)]

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Attack with what was published and, where that may matter, without: an intruder may ignore it."""
        found: list[Measurement] = []
        unusable: list[NotDefined] = []
        for files in (pair, pair.undescribed()) if self._may_ignore(pair) else (pair,):
            try:
                with one_blas_thread():
                    found.append(self.found(files, scenario))
            except NotDefined as reason:
                unusable.append(reason)
        if not found:
            raise unusable[0]
        return max(found, key=lambda measurement: measurement.value or 0.0)

    def found(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Attack each group of people about whom the same is known, and count.

        People about whom nothing usable is known count as not found. In a sample, records not examined get the rate of
        those examined.
        """
        credit, sought = np.zeros(pair.t), np.zeros(pair.t, dtype=bool)
        sureness = np.full(pair.t, np.nan)
        facts: dict[str, Fact] = {}
        tables: dict[str, Table] = {}
        charts: tuple[Chart, ...] = ()
        unfit = 0
        files, knowing = held(pair, scenario)
        try:
            self.refuse(files, {name for names, _ in known_sets(files, knowing) for name in names})
        except NotDefined:
            check_known(files, knowing)  # a reason that holds for any attack comes first
            raise
        unusable: list[NotDefined] = []
        wanted = searches(files, knowing, ordered=self.chooses(files))
        drawn = self._drawn(files, wanted)
        for search in drawn:
            mine = search.records[search.origin >= 0]
            sought[mine] = True
            try:
                best = self._strongest(files, search)
            except NotDefined as reason:
                unusable.append(reason)
                unfit += len(mine)
                continue
            attempt = best.attempt
            best.tell(credit, attempt.credit)
            if attempt.sureness is not None:
                best.tell(sureness, attempt.sureness)
            facts = {"known": best.names, **attempt.facts, **facts}
            tables = {**attempt.tables, **tables}
            charts = charts or attempt.charts
        if unusable and unfit == sought.sum():
            raise unusable[0]
        if unfit:
            facts["nothing_to_use"] = unfit
        facts["found"] = float(credit.sum())
        facts |= surest(selected(credit, sought), selected(sureness, sought))
        if drawn is not wanted:
            facts["sample"] = int(sought.sum())
            rest = np.concatenate([search.records[search.origin >= 0] for search in wanted])
            credit[rest[~sought[rest]]] = credit[sought].mean()
        if scenario.external is not None:
            facts |= {"external_people": files.n, "external_records": int(np.sum(files.link >= 0))}
        return self.averaged(pair, credit, sought, facts, tables=tables, charts=charts)

    def refuse(self, pair: Pair, known: Set[str]) -> None:
        """Raise `NotDefined` where sizes, roles and published facts rule the attack out, before files are read."""
        if self.works_on is not None and not any(
            isinstance(fact, self.works_on) and not known.isdisjoint(fact.columns) for fact in pair.published
        ):
            raise NotDefined(self.refusal)

    def _strongest(self, pair: Pair, search: Search) -> _Tried:
        """The attack with all that is known, or without the attributes that only stand in its way.

        Raises:
            NotDefined: this attack can use nothing of what is known.
        """

        def tried(names: tuple[str, ...]) -> _Tried | None:
            some = search if names == everything else with_only(search, names)
            try:
                return _Tried(names, some.records, some.origin, self.attack(pair, some))
            except NotDefined:
                if some is search:
                    raise
                return None

        everything = search.known.names
        sets = [everything, *fewer_attributes(search)]
        if self.holds_pairs(pair):
            best, *others = filter(None, map(tried, sets))
        else:
            steps = search.known.masked.size if self.cost is Cost.SEARCH else pair.n * pair.t
            best, *others = filter(None, in_threads(tried, sets, steps, brief=False, most=AT_ONCE))
        for other in others:
            if clearly_better(other.by_record(pair.t), than=best.by_record(pair.t)):
                best = other
        return best

    def _may_ignore(self, pair: Pair) -> bool:
        """Whether what was published can have changed what this attack does."""
        if self.reads_description:
            return bool(pair.published) and self.works_on is None
        return any(isinstance(fact, Recoding) for fact in pair.published)

    def compares(self, pair: Pair) -> bool:
        """Whether the pairs of records are few enough to look at."""
        return float(pair.n) * pair.t <= self.most_pairs

    def refuse_too_many(self, pair: Pair) -> None:
        """For attacks that look at all pairs: refuse too many of them, unless a sample is sought."""
        if self.sample is None and not self.compares(pair):
            raise NotDefined(f"more than {self.most_pairs:.3g} pairs of records, and no sample of people is set")

    def _drawn(self, pair: Pair, wanted: list[Search]) -> list[Search]:
        """The searches for everybody, or for a sample that depends on the people's ids alone."""
        if self.sample is None or self.compares(pair):
            return wanted
        sought = [search.people[search.origin[search.origin >= 0]] for search in wanted]
        people = np.unique(np.concatenate(sought))
        if len(people) <= self.sample:
            return wanted
        order = Draws(Secret.known("people sought")).uniform(people, "sample").argsort(kind="stable")
        chosen = np.zeros(pair.n, dtype=bool)
        chosen[people[order[: self.sample]]] = True
        drawn = [
            replace(
                search, origin=np.where((search.origin >= 0) & chosen[search.people[search.origin]], search.origin, -1)
            )
            for search in wanted
        ]
        return [search for search in drawn if (search.origin >= 0).any()]


class _Tried(NamedTuple):
    """An attack with some of what is known, and where its records and people are."""

    names: tuple[str, ...]
    records: Ints
    origin: Ints
    attempt: Attempt

    def by_record(self, records: int) -> Floats:
        """The chances of the records sought, in the order of the release."""
        credit = np.zeros(records)
        self.tell(credit, self.attempt.credit)
        return credit

    def tell(self, values: Floats, found: Floats) -> None:
        """Write what was found about the records sought in the places that they have in the release."""

        def work(start: int, stop: int) -> None:
            real = self.origin[start:stop] >= 0
            values[selected(self.records[start:stop], real)] = selected(found[start:stop], real)

        over_blocks(work, len(self.records), block=1 << 16, brief=True)


def surest(credit: Floats, sureness: Floats) -> dict[str, Fact]:
    """Share found among the records the intruder is surest of: a target may change to whoever is easily found.

    Ties with the last of them count as well (Truta et al. 2003, section 4).
    """
    told = ~np.isnan(sureness)
    credit, sureness = selected(credit, told), selected(sureness, told)
    if not len(sureness):
        return {}
    place = len(sureness) - max(int(np.ceil(SUREST * len(sureness))), 1)
    found = credit[sureness >= np.partition(sureness, place)[place]]
    return {
        "surest_records": len(found),
        "surest_value": float(found.mean()),
        "surest_interval": wilson_interval(float(found.sum()), len(found)),
    }


def sureness_of(two: Floats) -> Floats:
    """How much nearer the nearest person is than the next, from the distances of the two, from 0 to 1."""
    first, second = two.T
    told = np.isfinite(second)
    nearer = np.divide(first, second, out=np.ones(len(first)), where=told & (second > 0))
    return np.where(told, 1.0 - nearer, np.nan)


def credit_links(links: Ints, origin: Ints, original: Floats, masked: Floats) -> Floats:
    """The chance that the link of each record is right; people with the same values share it, and so do records."""
    from ammg.kernels.linkage.nearest import number_copies

    return link_credit(links, origin, number_copies(original), number_copies(masked))


def best_of(
    ways: Mapping[str, Floats],
    sought: NDArray[np.bool_],
    facts: Mapping[str, Fact],
    sureness: Floats | None = None,
) -> Attempt:
    """The attempt whose way of linking found most, with the rates of all.

    Each half of the people is searched for in the way that finds most of the other half: otherwise the best of several
    guesses would beat chance by itself. If one way finds clearly more people overall, it counts.
    """
    count = int(sought.sum())
    totals = {way: float(selected(credit, sought).sum()) for way, credit in ways.items()}
    rates = {way: total / count for way, total in totals.items()}
    ends = [wilson_interval(total, count) for total in totals.values()]
    table = {"way": text(rates), "rate": shares(rates.values())}
    table |= {"low": shares(low for low, _ in ends), "high": shares(high for _, high in ends)}
    best = max(rates, key=lambda way: rates[way])
    credit = found = np.where(sought, ways[best], 0.0)
    if len(ways) > 1:
        credit = _by_halves(ways, sought, best)
        if clearly_better(found, than=credit):
            credit = found
    return Attempt(credit, {**facts, "best": best}, tables={"ways": Table(table)}, ways=ways, sureness=sureness)


def _by_halves(ways: Mapping[str, Floats], sought: NDArray[np.bool_], best: str) -> Floats:
    """The credit of each half of the people in the way that finds most of the other half."""
    credit, rows = np.zeros(len(sought)), np.flatnonzero(sought)
    for mine, others in ((rows[::2], rows[1::2]), (rows[1::2], rows[::2])):
        way = max(ways, key=lambda way: float(ways[way][others].sum())) if len(others) else best
        credit[mine] = ways[way][mine]
    return credit
