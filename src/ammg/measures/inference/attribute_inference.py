"""Attribute inference."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Role
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.columns import taken
from ammg.kernels.spaces import robust_spread
from ammg.measures.inference.told_values import with_told_values
from ammg.measures.linkage.distance_linkage import common_space
from ammg.measures.linkage.intruder import Knowledge, held, knowledge, known_sets
from ammg.measures.measurement import Measurement, People, Table, shares, text
from ammg.measures.population.record_risk import RecordRisk
from ammg.params import param

if TYPE_CHECKING:
    from ammg.kernels.inference.nearest_guess import Right

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Group = tuple[tuple[str, ...], Ints]


class AttributeInference(RecordRisk):
    """How much better confidential values are guessed from the nearest released records than by chance.

    The intruder takes the most frequent confidential value among the released records that are nearest on the known
    attributes. A category is right if equal, a number if it is close. The baseline guesses the most frequent category,
    or the number with most of the release around it, without any knowledge of the person. The value is (right -
    baseline) / (1 - baseline), averaged over attributes and at least 0. Closeness is measured in standard deviations,
    or in robust ones if that reveals more. If another released column predicts a confidential value better than its
    masked column, the intruder uses that. People whose value is missing are not guessed. Source: in the manner of Giomi
    et al. (2023), with the margins as baseline.
    """

    discloses: ClassVar[Literal["identity", "attribute"]] = "attribute"

    near: float = param(0.05, "Largest error of a number that counts as right, in standard deviations.", gt=0, le=1)

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Guess every confidential attribute of every person sought."""
        files, knowing = held(pair, scenario)
        original_of = _originals(pair, scenario)
        groups = [(names, np.flatnonzero(members)) for names, members in known_sets(files, knowing)]
        if not groups or not pair.t:
            raise NotDefined("there are no targets, or nothing is released")
        confidential = pair.original.schema.with_role(Role.CONFIDENTIAL)
        hidden = [name for name in confidential if any(name not in names for names, _ in groups)]
        if not hidden:
            raise NotDefined("no confidential attribute that the intruder does not know")
        shown = [name for name in hidden if name in pair.masked.schema]
        if not shown:
            raise NotDefined("the release shows no confidential attribute that the intruder does not know")
        secret = knowledge(pair, shown, Scenario())
        known = {name for names, _ in groups for name in names}
        told = with_told_values(pair, secret, known)
        reaches = [self.near * unit for unit in _units(secret)]
        guesses = [
            guess
            for shows in (secret, *(() if told is None else (told,)))
            for guess in self._guesses(files, knowing, groups, original_of, shows, reaches)
        ]
        best = reduce(_better_of, guesses)
        by_target = np.nan_to_num(_means(best.right.T))
        by_record = np.where(pair.link >= 0, by_target[pair.link], 0.0)
        return Measurement(
            value=float(best.gain.mean()),
            by_column=dict(zip(secret.names, best.gain.tolist(), strict=True)),
            facts={"targets": sum(len(people) for _, people in groups)},
            tables={
                "attributes": Table(
                    {
                        "attribute": text(secret.names),
                        "right": shares(np.nan_to_num(_means(best.right))),
                        "baseline": shares(np.nan_to_num(_means(best.chance))),
                    }
                )
            },
            people=People(by_record),
        )

    def _guesses(
        self,
        files: Pair,
        knowing: Scenario,
        groups: list[Group],
        original_of: Ints,
        secret: Knowledge,
        reaches: Sequence[Floats],
    ) -> list[_Guesses]:
        """How often everybody's hidden values are guessed right, and by chance, if numbers within reach are right.

        There is one result for each of `reaches`.
        """
        guesses = [_Guesses(*(np.full(secret.original.shape, np.nan, order="F") for _ in range(2))) for _ in reaches]
        for names, people in groups:
            wanted = original_of[people]
            hidden = [place for place, name in enumerate(secret.names) if name not in names]
            is_told = ~np.isnan(taken(secret.original, wanted))
            known = knowledge(files, names, knowing)
            guessed = zip(*self._guessed(files, known, people, secret, wanted, reaches), strict=True)
            for guess, (found, margin) in zip(guesses, guessed, strict=True):
                for j in hidden:
                    guess.right[wanted, j] = np.where(is_told[:, j], found[:, j], np.nan)
                    guess.chance[wanted, j] = np.where(is_told[:, j], margin[:, j], np.nan)
        return guesses

    def _guessed(
        self, files: Pair, known: Knowledge, people: Ints, secret: Knowledge, wanted: Ints, reaches: Sequence[Floats]
    ) -> Right:
        """The probability of a right guess for each person and attribute, from the nearest released records."""
        from ammg.kernels.inference.nearest_guess import right_guesses

        space = common_space(known)
        if not space.original.shape[1]:
            raise NotDefined("the known attributes do not vary")
        everybody = len(people) == len(space.original)
        sides = space.original if everybody else space.original[people], space.masked
        return right_guesses(*sides, space.kinds, secret.masked, taken(secret.original, wanted), reaches)


class _Guesses(NamedTuple):
    """For each original and hidden attribute, the probability of a right guess, and that of the baseline."""

    right: Floats  # NaN where there is nothing to guess
    chance: Floats

    @property
    def gain(self) -> Floats:
        """The gain of each attribute over chance."""
        right, chance = np.nan_to_num(_means(self.right)), np.nan_to_num(_means(self.chance))
        return np.clip((right - chance) / np.maximum(1 - chance, 1e-9), 0.0, 1.0)


def _better_of(first: _Guesses, second: _Guesses) -> _Guesses:
    """For each attribute, the guesses that gain more."""
    better = second.gain > first.gain
    return _Guesses(np.where(better, second.right, first.right), np.where(better, second.chance, first.chance))


def _originals(pair: Pair, scenario: Scenario) -> Ints:
    """The original record of each person in the file that the intruder holds; -1 for people who have none."""
    if scenario.external is None:
        return np.arange(pair.n)
    beside, rows = scenario.external.beside(pair)
    originals = np.full(beside.n, -1, dtype=np.int64)
    originals[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    return originals


def _means(values: Floats) -> Floats:
    """Means of columns over observed values, NaN if there are none."""
    seen = ~np.isnan(values)
    count = seen.sum(axis=0)
    return np.asarray(np.where(seen, values, 0.0).sum(axis=0) / np.where(count > 0, count, np.nan))


def agreeing_guesses(secret: Knowledge, guesses: Floats, wanted: Ints, reach: Floats) -> Floats:
    """1 for each target and attribute guessed right; a missing truth cannot be guessed."""
    with np.errstate(invalid="ignore"):
        return (np.abs(secret.original[wanted] - guesses) <= reach).astype(np.float64)


def _units(secret: Knowledge) -> tuple[Floats, Floats]:
    """Standard deviations of the original numbers, and robust ones; 0 for categories."""
    numbers = np.where(secret.categorical, 0.0, secret.original)
    seen = ~np.isnan(numbers)
    mean = np.where(seen, numbers, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    squares = (np.where(seen, numbers - mean, 0.0) ** 2).sum(axis=0)
    return np.sqrt(squares / np.maximum(seen.sum(axis=0) - 1, 1)), robust_spread(secret.original, secret.categorical)
