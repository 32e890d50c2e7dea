"""The attack on groups with noise."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.published import GroupSums, Published
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack, Attempt, Cost, best_of
from ammg.measures.linkage.intruder import Search
from ammg.measures.linkage.replay_linkage import learned
from ammg.measures.linkage.replays import Replays, replayed
from ammg.measures.measurement import Fact

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SURE = 500.0  # nats against a person whose group was found elsewhere
NEAR = 200  # released records around a group
WITHIN = 0.98  # of the groups whose sums say how far sums are off; few may have been found wrongly


class GroupSumLinkage(Attack):
    """Share of released records re-identified by an intruder who knows that noise within groups sums to zero.

    Repeating the method shows who shares a group. The sum of a group is then known exactly, and few sets of released
    records have that sum: a search through sums of nearby records finds the group. Noise within groups therefore hides
    no more than the group itself, and members are found with probability 1/k. Groups that are too large to search are
    linked by the distribution that replays show.
    """

    works_on: ClassVar[type[Published] | None] = GroupSums
    refusal: ClassVar[str] = "no noise within groups of a known attribute is published"

    @property
    def cost(self) -> Cost:
        """Runs of the recipe."""
        return Cost.REPLAYS

    def attack(self, pair: Pair, search: Search) -> Attempt:
        """Find the groups in the own file, then in the release."""
        from ammg.kernels.linkage.pair_likelihood import top_chance

        told = [fact for fact in pair.published if isinstance(fact, GroupSums)]
        names = [name for fact in told for name in fact.columns if name in search.known.names]
        if not names:
            raise NotDefined(self.refusal)
        if not self.compares(pair):
            raise NotDefined("groups are found among all records, which are too many")
        replays = replayed(pair, search)
        if not replays.varies:
            raise NotDefined("the published methods add no noise")
        found = _found(search, replays, names)
        law, likelihood = learned(pair, search, replays)
        facts: dict[str, Fact] = {
            "law": law,
            "groups": int(found.people.max(initial=-1)) + 1,
            "records_in_groups": int(np.sum(found.records >= 0)),
        }
        sureness = np.where(found.records >= 0, 1.0, top_chance(likelihood))
        return best_of({"group": _credit(search, found, likelihood)}, search.origin >= 0, facts, sureness)


def _credit(search: Search, found: _Found, likelihood: Floats) -> Floats:
    """1/k for a member of the right group; records of no group go to the most likely person of none."""
    from ammg.kernels.linkage.pair_likelihood import hit_chance

    sizes = np.bincount(found.people[found.people >= 0], minlength=1)
    shown = found.records >= 0
    right = (search.origin >= 0) & (found.people[search.origin] == found.records)
    taken = np.isin(found.people, found.records[shown]) & (found.people >= 0)
    others = hit_chance(np.where(taken, likelihood.min(initial=0.0) - SURE, likelihood), search.origin)
    return np.where(shown, right / np.maximum(sizes[found.records], 1), others)


class _Found(NamedTuple):
    """The group of each person and of each record, -1 for none."""

    people: Ints
    records: Ints


def _found(search: Search, replays: Replays, names: list[str]) -> _Found:
    from ammg.kernels.grouping.group_sums import records_of_groups, zero_sum_groups
    from ammg.kernels.linkage.nearest import k_nearest
    from ammg.kernels.spaces import whitening

    known = search.known.only(names)
    draws = replays.draws[:, :, [replays.known.names.index(name) for name in names]]
    nothing = _Found(np.full(len(known.original), -1), np.full(len(known.masked), -1))
    if np.isnan(draws).any() or np.isnan(known.masked).any():
        return nothing
    spread = known.original.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    noise = ((draws - known.original) / spread).transpose(1, 0, 2).reshape(len(known.original), -1)
    centre = draws.mean(axis=0)
    residuals = (draws - centre).reshape(-1, len(names))
    rotation = whitening(residuals.T @ residuals / len(residuals))
    people = zero_sum_groups(noise, centre @ rotation)
    groups = int(people.max(initial=-1)) + 1
    if not groups:
        return nothing
    mine = people >= 0
    sizes = np.bincount(people[mine], minlength=groups)
    scaled = known.original / spread
    sums = np.zeros((groups, len(names)))
    np.add.at(sums, people[mine], scaled[mine])
    middles = sums / sizes[:, None] * spread
    blur = _blur(draws / spread, scaled, people)
    near = k_nearest(known.masked @ rotation, middles @ rotation, min(NEAR, len(known.masked)))[0]
    return _Found(people, records_of_groups(known.masked / spread, sums, sizes, near, blur))


def _blur(draws: Floats, own: Floats, people: Ints) -> Floats:
    """How far the sums of groups are off in replays, by column and member, with room to spare."""
    mine = people >= 0
    sizes = np.bincount(people[mine])
    worst = np.zeros(own.shape[1])
    for draw in draws:
        sums = np.zeros((len(sizes), own.shape[1]))
        np.add.at(sums, people[mine], (draw - own)[mine])
        worst = np.maximum(worst, np.quantile(np.abs(sums) / sizes[:, None], WITHIN, axis=0))
    return np.asarray(2.0 * worst)
