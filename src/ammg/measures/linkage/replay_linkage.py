"""The attack on any published method: repeat it."""

from __future__ import annotations

from collections.abc import Mapping, Set
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.errors import NotDefined
from ammg.kernels.linkage.rates import link_credit
from ammg.kernels.threads import AT_ONCE, in_threads
from ammg.measures.linkage.attack import Attack, Attempt, Cost, best_of
from ammg.measures.linkage.distance_linkage import common_space
from ammg.measures.linkage.housemates import household_ways
from ammg.measures.linkage.intruder import Knowledge, Search
from ammg.measures.linkage.replays import NO_RECIPE, Replays, replayed, spread_of
from ammg.measures.measurement import Fact

if TYPE_CHECKING:
    from ammg.kernels.linkage.replay_law import ColumnLaw

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TRIED = 300  # people on whom laws are compared
WIDTHS = (0.01, 0.05, 0.2)  # of kernels around draws, in standard deviations of the columns
MOST_KERNELS = 3e9  # pairs × draws × columns
LEAST_LOG = -50.0  # of a probability, so that one person cannot decide
POOLED = "values pooled"
NEIGHBOURS = "neighbours"
KIN = "kin"


class ReplayLinkage(Attack):
    """Share of released records re-identified by an intruder who repeats the published methods on their own file.

    The methods are public, the secret is not: the intruder repeats them on the known attributes of everybody, with
    other secrets. If the result is always the same, each person has an exact counterpart to look for. If it depends
    only on the order of the file, which a release does not show, many orders are tried. Otherwise the replays show how
    a masked record varies given the person, column by column or for whole records; the best model is chosen on a replay
    whose truth the intruder knows. Links go to the most likely person, and one to one. The attack applies to any
    method, including combinations and plug-ins. A step that uses columns unknown to the intruder is replayed on the
    others.
    """

    @property
    def cost(self) -> Cost:
        """Number of replays."""
        return Cost.REPLAYS

    def refuse(self, pair: Pair, known: Set[str]) -> None:
        """Refuse a release without a recipe to run again."""
        if pair.again is None:
            raise NotDefined(NO_RECIPE)

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Replay, learn and link."""
        replays = replayed(pair, search)
        if not replays.varies:
            return self._exactly(pair, search, replays)
        if replays.seems_exact:
            return self._nearly_exactly(pair, search, replays)
        return self._by_law(pair, search, replays)

    def _by_law(self, pair: Pair, search: Search, replays: Replays) -> Attempt:
        """Learn how a masked record varies given the person, and link by that."""
        self.refuse_too_many(pair)
        law, likelihood = learned(pair, search, replays, everybody=self.compares(pair))
        attempt = linked(self, pair, search, likelihood, {"replays": len(replays.draws), "law": law})
        if not replays.ordered:
            return attempt
        exact = {f"in_one_order_{way}": credit for way, credit in self._exactly(pair, search, replays).ways.items()}
        return best_of({**attempt.ways, **exact}, search.origin >= 0, attempt.facts, attempt.sureness)

    def _nearly_exactly(self, pair: Pair, search: Search, replays: Replays) -> Attempt:
        """Look for the counterpart of the usual draw, and by the law of all draws: what finds more counts."""
        attempts = [self._exactly(pair, search, replays)]
        with suppress(NotDefined):  # too many pairs for a law
            attempts.append(self._by_law(pair, search, replays))
        return max(attempts, key=lambda attempt: float(attempt.credit[search.origin >= 0].sum()))

    def _exactly(self, pair: Pair, search: Search, replays: Replays) -> Attempt:
        """Look for the counterpart that the recipe gives each person."""
        from ammg.kernels.linkage.nearest import nearest_credit, number_copies
        from ammg.kernels.matching.nearest_assignment import assign_nearest

        known = replays.known
        own = Knowledge(known.names, replays.draws[0], known.masked, known.categorical, known.error)
        space = common_space(own)
        ways = {"nearest": nearest_credit(space.original, space.masked, search.origin, kinds=space.kinds)}
        if self.compares(pair) and not self.enough(ways["nearest"], search.origin >= 0):
            links = assign_nearest(space.original, space.masked, kinds=space.kinds).links
            copies = number_copies(space.original), number_copies(space.masked)
            ways["one_to_one"] = link_credit(links, search.origin, *copies)
        return best_of(
            ways,
            search.origin >= 0,
            {"replays": len(replays.draws), "law": "exact"},
            self.nearest_sureness(space, search.judged),
        )


def linked(attack: Attack, pair: Pair, search: Search, likelihood: Floats, facts: Mapping[str, Fact]) -> Attempt:
    """The most likely person of each record and, with everybody before us, links one to one and of whole households.

    `likelihood` has the records of everybody, or of the people sought where the pairs are too many.
    """
    from ammg.kernels.linkage.nearest import number_copies
    from ammg.kernels.linkage.pair_likelihood import hit_chance, top_chance
    from ammg.kernels.matching.likely_assignment import assign_likely, share_out

    sought, everybody = search.origin >= 0, attack.compares(pair)
    rows = np.arange(pair.t) if everybody else np.flatnonzero(sought)
    ways = {"most_probable": np.zeros(pair.t)}
    ways["most_probable"][rows] = hit_chance(likelihood, search.origin[rows])
    sureness = np.full(pair.t, np.nan)
    sureness[rows] = top_chance(likelihood)
    if everybody and not attack.enough(ways["most_probable"], sought):
        links = assign_likely(likelihood).links
        copies = number_copies(search.known.original), number_copies(search.known.masked)
        ways["one_to_one"] = link_credit(links, search.origin, *copies)
        ways["most_probable_of_matchings"] = hit_chance(share_out(likelihood), search.origin)
        ways |= household_ways(pair, search, likelihood)
    return best_of(ways, sought, facts, sureness)


def learned(pair: Pair, search: Search, replays: Replays, *, everybody: bool = True) -> tuple[str, Floats]:
    """The name of the law that finds most in a replay, and the log-likelihoods of records × people under it.

    Without `everybody`, of the records of people sought alone.
    """
    rows = None if everybody else np.flatnonzero(search.origin >= 0)
    key = ("likelihood", replays.known.names, search.people.tobytes(), None if rows is None else rows.tobytes())
    return pair.once(key, lambda: _learned(replays, np.arange(pair.t) if rows is None else rows))


class _Law(NamedTuple):
    """A way to see the draws: how columns are compared, and whether they hang together."""

    name: str
    columns: tuple[str, ...]
    joint: bool = False
    width: float = 0.0
    normal: bool = False


def _learned(replays: Replays, rows: Ints) -> tuple[str, Floats]:
    draws, people = replays.draws, replays.draws.shape[1]
    tried = np.sort(np.random.default_rng(TRIED).permutation(people)[:TRIED])
    trial = _Fit(replays.known, draws[:-1], draws[-1])
    law = trial.best(tried, kernels=float(len(rows)) * draws.size <= MOST_KERNELS)
    fit = _Fit(replays.known, draws, replays.known.masked, law.columns)
    return law.name, fit.likelihood(law, rows, np.arange(people))


class _Fit:
    """Laws learned from draws, for released records."""

    def __init__(
        self, known: Knowledge, draws: Floats, released: Floats, chosen: tuple[str, ...] | None = None
    ) -> None:
        from ammg.kernels.linkage.replay_law import category_law, column_laws

        self.own, self.draws, self.released, self.numbers = known.original, draws, released, ~known.categorical
        wanted = [None] * len(known.names) if chosen is None else chosen

        def laws(j: int) -> dict[str, ColumnLaw]:
            if known.categorical[j]:
                return {"codes": category_law(draws[:, :, j], released[:, j])}
            return column_laws(known.original[:, j], draws[:, :, j], released[:, j], wanted[j])

        self.columns: list[dict[str, ColumnLaw]] = in_threads(laws, range(len(wanted)), draws.size)

    def best(self, tried: Ints, *, kernels: bool) -> _Law:
        """The law under which the people tried stand out most from one another, where record i is that of person i."""
        from ammg.kernels.linkage.pair_likelihood import columns_likelihood

        def sharpest(laws: dict[str, ColumnLaw]) -> str:
            scores = {
                name: _information(columns_likelihood([law.among(tried, tried)], (len(tried),) * 2))
                for name, law in laws.items()
            }
            return max(scores, key=lambda name: scores[name])

        chosen = tuple(in_threads(sharpest, self.columns, self.draws.size))
        pooled = tuple(POOLED if POOLED in laws else name for laws, name in zip(self.columns, chosen, strict=True))
        laws = [_Law("columns", chosen), _Law("records", chosen, joint=True)]
        if pooled != chosen:
            laws.append(_Law("pooled records", pooled, joint=True))
        if kernels and self.numbers.any():
            laws += [_Law("draws", chosen, width=width) for width in WIDTHS]
            if not any(np.isnan(part[..., self.numbers]).any() for part in (self.own, self.draws, self.released)):
                laws += [_Law(name, chosen, normal=True) for name in (NEIGHBOURS, KIN, "linear")]
        scores = in_threads(
            lambda law: _information(self.likelihood(law, tried, tried)), laws, self.draws.size, most=AT_ONCE
        )
        return laws[max(range(len(laws)), key=scores.__getitem__)]

    def likelihood(self, law: _Law, records: Ints, people: Ints) -> Floats:
        """Records × people."""
        from ammg.kernels.linkage.pair_likelihood import (
            columns_likelihood,
            record_law,
            records_likelihood,
        )

        laws = [
            some.get(name) or next(iter(some.values())) for some, name in zip(self.columns, law.columns, strict=True)
        ]
        taken = [one.among(records, people) for one in laws]
        if law.width or law.normal:
            codes = [one for one, number in zip(taken, self.numbers, strict=True) if not number]
            return self._near(law, records, people) + columns_likelihood(codes, (len(records), len(people)))
        together = [j for j, one in enumerate(laws) if not one.log_atoms.size]
        if not law.joint or len(together) < 2:
            return columns_likelihood(taken, (len(records), len(people)))
        rest = [one for j, one in enumerate(taken) if j not in together]
        return records_likelihood([taken[j] for j in together], record_law([laws[j] for j in together]), rest)

    def _near(self, law: _Law, records: Ints, people: Ints) -> Floats:
        """The same of numbers alone, by kernels around draws, or by normal laws of neighbours or of all."""
        from ammg.kernels.linkage.neighbour_law import kin_likelihood, linear_likelihood, neighbours_likelihood
        from ammg.kernels.linkage.pair_likelihood import draws_likelihood

        draws, released = self.draws[:, :, self.numbers], self.released[records][:, self.numbers]
        if law.normal:
            if law.name == KIN:
                return kin_likelihood(draws, released, people)
            likelihood = neighbours_likelihood if law.name == NEIGHBOURS else linear_likelihood
            return likelihood(self.own[:, self.numbers], draws, released, people)
        spread = spread_of(draws.reshape(-1, 1, draws.shape[2]))
        spread = np.where(spread > 0, spread, 1.0)
        return draws_likelihood(draws[:, people] / spread, released / spread, law.width)


def _information(likelihood: Floats) -> float:
    """The mean log probability of the truth, where record i is that of person i."""
    peak = likelihood.max(axis=1, keepdims=True)
    total = peak[:, 0] + np.log(np.exp(likelihood - peak).sum(axis=1))
    return float(np.maximum(np.diagonal(likelihood) - total, LEAST_LOG).mean())
