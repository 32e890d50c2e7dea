"""Attribute inference."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Role
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.linkage.distance_linkage import common_space
from ammg.measures.linkage.intruder import Knowledge, held, knowledge, known_sets
from ammg.measures.measurement import Measurement, People, Table, shares, text
from ammg.measures.population.record_risk import RecordRisk
from ammg.params import param

Floats = NDArray[np.float64]

TIED = 20  # equally near records among which the intruder chooses at random


class AttributeInference(RecordRisk):
    """How much better confidential values are guessed from a target's nearest released record than from the margins.

    The intruder takes the confidential values of the released record nearest on what is known; a category is right when
    equal, a number when it is near. The baseline guesses the most frequent category, or the number whose neighbourhood
    holds most of the release, without knowing anybody. The value is (right - baseline) / (1 - baseline), averaged over
    attributes and not below 0. Source: in the manner of Giomi et al. (2023), with the margins as baseline.
    """

    discloses: ClassVar[Literal["identity", "attribute"]] = "attribute"

    near: float = param(0.05, "Greatest error of a right number, in standard deviations.", gt=0, le=1)

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Guess every confidential attribute of every person sought."""
        files, knowing = held(pair, scenario)
        original_of = _originals(pair, scenario)
        groups = [(names, np.flatnonzero(members)) for names, members in known_sets(files, knowing)]
        if not groups or not pair.t:
            raise NotDefined("nobody is sought, or nothing is released")
        confidential = pair.original.schema.with_role(Role.CONFIDENTIAL)
        hidden = [name for name in confidential if any(name not in names for names, _ in groups)]
        if not hidden:
            raise NotDefined("no confidential attribute that the intruder does not know")
        shown = [name for name in hidden if name in pair.masked.schema]
        if not shown:
            raise NotDefined("the release shows no confidential attribute that the intruder does not know")
        secret = knowledge(pair, shown, Scenario())
        right, chance = np.full((pair.n, len(secret.names)), np.nan), np.full((pair.n, len(secret.names)), np.nan)
        margins = np.array([_margin(secret.only([name]), self.near) for name in secret.names])
        for names, people in groups:
            wanted = original_of[people]
            unknown = np.array([name not in names for name in secret.names])
            guessed = self._guessed(files, knowledge(files, names, knowing), people, secret, wanted)
            right[wanted] = np.where(unknown, guessed, np.nan)
            margin = np.broadcast_to(margins, (len(wanted), len(margins)))
            chance[wanted] = np.where(unknown, right_guesses(secret, margin, wanted, self.near), np.nan)
        rates, baseline = _means(right), _means(chance)
        gain = np.clip((rates - baseline) / np.maximum(1 - baseline, 1e-9), 0.0, 1.0)
        by_target = np.nan_to_num(_means(right.T))
        by_record = np.where(pair.link >= 0, by_target[pair.link], 0.0)
        return Measurement(
            value=float(gain.mean()),
            by_column=dict(zip(secret.names, gain.tolist(), strict=True)),
            facts={"targets": sum(len(people) for _, people in groups)},
            tables={
                "attributes": Table(
                    {"attribute": text(secret.names), "right": shares(rates), "baseline": shares(baseline)}
                )
            },
            people=People(by_record),
        )

    def _guessed(
        self, files: Pair, known: Knowledge, people: NDArray[np.int64], secret: Knowledge, wanted: NDArray[np.int64]
    ) -> Floats:
        """The chance of a right guess for each person and attribute, from the nearest released records."""
        from ammg.kernels.linkage.nearest import k_nearest

        order = np.lexsort(np.hstack([known.masked, secret.masked]).T)  # so that the order of records decides nothing
        space = common_space(known)
        if not space.original.shape[1]:
            raise NotDefined("the known attributes do not vary")
        count = min(TIED, len(space.masked))
        nearest, distance = k_nearest(space.masked[order], space.original[people], count, kinds=space.kinds)
        tied = distance <= distance[:, :1] * (1 + 1e-9)
        guesses = [secret.masked[order[nearest[:, k]]] for k in range(count)]
        hits = np.stack([right_guesses(secret, guess, wanted, self.near) for guess in guesses], axis=1)
        return np.asarray((hits * tied[:, :, None]).sum(axis=1) / tied.sum(axis=1)[:, None])


def _originals(pair: Pair, scenario: Scenario) -> NDArray[np.int64]:
    """The original record of each person in the file that the intruder holds; -1 for people who have none."""
    if scenario.external is None:
        return np.arange(pair.n)
    beside, rows = scenario.external.beside(pair)
    originals = np.full(beside.n, -1, dtype=np.int64)
    originals[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    return originals


def _means(values: Floats) -> Floats:
    """Means of columns over what is there, NaN where nothing is."""
    seen = ~np.isnan(values)
    count = seen.sum(axis=0)
    return np.asarray(np.where(seen, values, 0.0).sum(axis=0) / np.where(count > 0, count, np.nan))


def right_guesses(secret: Knowledge, guesses: Floats, wanted: NDArray[np.int64], near: float) -> Floats:
    """1 for each target and attribute guessed right; a missing truth cannot be guessed."""
    truth = secret.original[wanted]
    allowed = near * _spread(secret)
    with np.errstate(invalid="ignore"):
        return (np.abs(truth - guesses) <= allowed).astype(np.float64)


def _margin(secret: Knowledge, near: float) -> float:
    """The best guess for one attribute without knowing anybody: the value with most released values around it."""
    values = np.sort(secret.masked[~np.isnan(secret.masked[:, 0]), 0])
    if not len(values):
        return np.nan
    reach = float(near * _spread(secret)[0])
    around = np.searchsorted(values, values + reach, "right") - np.searchsorted(values, values - reach, "left")
    return float(values[around.argmax()])


def _spread(secret: Knowledge) -> Floats:
    """Standard deviations of the original numbers, 0 for categories."""
    numbers = np.where(secret.categorical, 0.0, secret.original)
    seen = ~np.isnan(numbers)
    mean = np.where(seen, numbers, 0.0).sum(axis=0) / np.maximum(seen.sum(axis=0), 1)
    squares = (np.where(seen, numbers - mean, 0.0) ** 2).sum(axis=0)
    return np.asarray(np.sqrt(squares / np.maximum(seen.sum(axis=0) - 1, 1)))
