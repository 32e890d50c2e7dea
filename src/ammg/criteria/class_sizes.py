"""Criteria on how many records or people share a class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from ammg.criteria.criterion import Bools, Classes, Criterion, Floats, Ints
from ammg.errors import InputError
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.unsafe_combinations import UnsafeCombinations as FoundCombinations
    from ammg.kernels.anonymity.key_table import KeyTable
    from ammg.kernels.population.population_uniques import ClassSizes


class KAnonymity(Criterion):
    """At least k records look alike (Samarati and Sweeney 1998)."""

    is_monotone: ClassVar[bool] = True

    k: int = param(3, "Least number of records that look alike.", ge=2)

    def fails_in(self, classes: Classes) -> Bools:
        """Classes of fewer than k."""
        return self.breaks(classes.counts)

    def breaks(self, frequencies: Floats | Ints) -> Bools:
        """Which records have fewer than k look-alikes."""
        from ammg.criteria.anonymity import violates_anonymity

        return violates_anonymity(frequencies, self.k)


class KMap(Criterion):
    """At least k people of the population look alike, by the weights of the records (Sweeney 2001)."""

    is_monotone: ClassVar[bool] = True

    k: int = param(5, "Least number of people who look alike.", ge=2)

    def fails_in(self, classes: Classes) -> Bools:
        """Classes that stand for fewer than k."""
        return self.breaks(_people(classes, "k_map"))

    def breaks(self, people: Floats | Ints) -> Bools:
        """Which records fewer than k people resemble."""
        from ammg.criteria.anonymity import violates_anonymity

        return violates_anonymity(people, self.k)


class DeltaPresence(Criterion):
    """Of the people who look alike, by the weights of the records, the file holds a share between two bounds.

    Whoever knows that a person belongs to the population learns no more about whether they are in the file. Source:
    Nergiz, Atzori and Clifton (2007).
    """

    most: float = param(0.5, "Greatest share of look-alikes that is in the file.", gt=0, le=1)
    fewest: float = param(0.0, "Least share of look-alikes that is in the file.", ge=0, lt=1)

    def fails_in(self, classes: Classes) -> Bools:
        """Classes of which the file holds too much or too little."""
        share = self.share(classes.counts, np.maximum(_people(classes, "delta_presence"), classes.counts))
        return np.asarray((share > self.most) | (share < self.fewest))

    @staticmethod
    def share(records: Ints, people: Floats | Ints) -> Floats:
        """The belief that one of so many people who look alike is in the file, which holds so many of them."""
        return np.asarray(records / people, np.float64)


class PopulationUniqueness(Criterion):
    """At most a given share of the population is estimated to be unique on the keys.

    The estimate is about the file as a whole: while it is too high, the classes of one record break the criterion.
    Source: Dankar, El Emam, Neisa and Roffey (2012), as the measure of this name.
    """

    is_joint: ClassVar[bool] = True

    threshold: float = param(0.01, "Greatest estimated share of the population that is unique.", ge=0, lt=1)
    model: Literal["dankar", "pitman", "zayatz", "snb"] = param("dankar", "Model of the population's classes.")

    def fails_in(self, classes: Classes) -> Bools:
        """Classes of one record, if the estimate is too high or the model has none."""
        from ammg.kernels.population.population_uniques import class_sizes

        alone: Bools = np.asarray(classes.counts == 1)
        if not alone.any():
            return alone
        people = float(np.maximum(_people(classes, "population_uniqueness"), classes.counts).sum())
        uniques, _ = self.estimate(class_sizes(classes.counts, float(classes.counts.sum()) / people))
        return np.zeros_like(alone) if uniques <= self.threshold * people else alone

    def estimate(self, sizes: ClassSizes) -> tuple[float, str]:
        """How many people of the population are unique, NaN without a solution, and the model that says so."""
        from ammg.kernels.population import population_uniques as estimators

        if self.model == "dankar":
            return estimators.dankar_uniques(sizes)
        models: dict[str, Callable[[ClassSizes], float]] = {
            "pitman": estimators.pitman_uniques,
            "zayatz": estimators.zayatz_uniques,
            "snb": estimators.snb_uniques,
        }
        return models[self.model](sizes), self.model


class UnsafeCombinations(Criterion):
    """At least k records have each combination of up to so many keys: the rule of μ-ARGUS.

    Records that break it are taken to lose all keys, and what is left must meet it without them. Source: De Waal and
    Willenborg (1996).
    """

    is_monotone: ClassVar[bool] = True
    is_joint: ClassVar[bool] = True

    k: int = param(3, "Least number of records that have a combination.", ge=2)
    dimension: int = param(3, "Largest number of keys in a combination.", ge=1, le=10)

    def fails_in(self, classes: Classes) -> Bools:
        """Classes with a combination that too few records have."""
        from ammg.kernels.anonymity.key_table import KeyTable

        columns = tuple(np.ascontiguousarray(column) for column in classes.keys)
        sizes = tuple(int(column.max(initial=0)) + 1 for column in columns)
        table = KeyTable(columns, sizes, classes.counts)
        return np.asarray(self.find(table, np.arange(len(classes))).by_record > 0)

    def find(
        self, table: KeyTable, records: Ints, subsets: Sequence[tuple[int, ...]] | None = None
    ) -> FoundCombinations:
        """The unsafe combinations of a table, cell by cell, of all subsets of up to `dimension` keys or of those named.

        `records` names one record of each cell.
        """
        from ammg.criteria.unsafe_combinations import find_in_table, subsets_up_to

        chosen = subsets_up_to(len(table.codes), self.dimension) if subsets is None else subsets
        return find_in_table(table, self.k, chosen, records)


class IndividualRisk(Criterion):
    """The risk of re-identification, given the weights behind a combination, stays below a threshold.

    Source: Benedetti and Franconi (1998).
    """

    threshold: float = param(0.1, "Records with a larger risk are unsafe.", gt=0, le=1)
    model: Literal["negative_binomial", "approximate", "poisson"] = param(
        "negative_binomial", "Law of the population frequency; `approximate` is that of sdcMicro."
    )

    def fails_in(self, classes: Classes) -> Bools:
        """Classes whose records have more risk."""
        people = np.maximum(_people(classes, "individual_risk"), classes.counts)
        return np.asarray(self.risk(classes.counts.astype(np.float64), people) > self.threshold)

    def risk(self, sample: Floats, people: Floats) -> Floats:
        """The expected 1/F of records with so many look-alikes in the file, which stand for so many people."""
        from ammg.kernels.population import individual_risk

        laws = {
            "negative_binomial": individual_risk.negative_binomial_risk,
            "approximate": individual_risk.approximate_risk,
            "poisson": individual_risk.poisson_risk,
        }
        return laws[self.model](sample, people)


def _people(classes: Classes, name: str) -> Floats:
    if classes.weights is None:
        raise InputError(f"{name} is about the population, and there is no weight: give an attribute that role.")
    return classes.weights
