"""Criteria on the size of equivalence classes, in records or people."""

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
    """Every equivalence class has at least k records (Samarati and Sweeney 1998)."""

    is_monotone: ClassVar[bool] = True

    k: int = param(3, "Least number of records in an equivalence class.", ge=2)

    def fails_in(self, classes: Classes) -> Bools:
        """Classes of fewer than k."""
        return self.breaks(classes.counts)

    def breaks(self, frequencies: Floats | Ints) -> Bools:
        """Which records are in a class of fewer than k."""
        from ammg.criteria.anonymity import violates_anonymity

        return violates_anonymity(frequencies, self.k)


class KMap(Criterion):
    """Every equivalence class stands for at least k people, by the sampling weights (Sweeney 2001)."""

    is_monotone: ClassVar[bool] = True

    k: int = param(5, "Least number of people in an equivalence class.", ge=2)

    def fails_in(self, classes: Classes) -> Bools:
        """Classes that stand for fewer than k people."""
        return self.breaks(_people(classes, "k_map"))

    def breaks(self, people: Floats | Ints) -> Bools:
        """Which records are in a class of fewer than k people."""
        from ammg.criteria.anonymity import violates_anonymity

        return violates_anonymity(people, self.k)


class DeltaPresence(Criterion):
    """The file contains a share between two bounds of the people in each class, by the sampling weights.

    Someone who knows that a person belongs to the population thus learns little about whether they are in the file.
    Source: Nergiz, Atzori and Clifton (2007).
    """

    most: float = param(0.5, "Greatest share of the people in a class that is in the file.", gt=0, le=1)
    fewest: float = param(0.0, "Least share of the people in a class that is in the file.", ge=0, lt=1)

    def fails_in(self, classes: Classes) -> Bools:
        """Classes of which the file contains too large or too small a share."""
        share = self.share(classes.counts, np.maximum(_people(classes, "delta_presence"), classes.counts))
        return np.asarray((share > self.most) | (share < self.fewest))

    @staticmethod
    def share(records: Ints, people: Floats | Ints) -> Floats:
        """The belief that a member of a class is in the file, from the records there and the people of the class."""
        return np.asarray(records / people, np.float64)


class PopulationUniqueness(Criterion):
    """At most a given share of the population is estimated to be unique on the keys.

    The estimate concerns the file as a whole: while it is too high, the classes of one record break the criterion.
    Source: Dankar, El Emam, Neisa and Roffey (2012), as for the measure of this name.
    """

    is_joint: ClassVar[bool] = True

    threshold: float = param(0.01, "Greatest estimated share of the population that is unique.", ge=0, lt=1)
    model: Literal["dankar", "pitman", "zayatz", "snb"] = param("dankar", "Model of the population's classes.")

    def fails_in(self, classes: Classes) -> Bools:
        """Classes of one record, if the estimate is too high or the model has no solution."""
        from ammg.kernels.population.population_uniques import class_sizes

        alone: Bools = np.asarray(classes.counts == 1)
        if not alone.any():
            return alone
        people = float(np.maximum(_people(classes, "population_uniqueness"), classes.counts).sum())
        uniques, _ = self.estimate(class_sizes(classes.counts, float(classes.counts.sum()) / people))
        return np.zeros_like(alone) if uniques <= self.threshold * people else alone

    def estimate(self, sizes: ClassSizes) -> tuple[float, str]:
        """The estimated number of population uniques, NaN without a solution, and the model that gave it."""
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
    """Every combination of up to `dimension` keys occurs in at least k records: the rule of μ-ARGUS.

    Records that break it are assumed to lose all keys, and the remaining records must meet it without them. Source: De
    Waal and Willenborg (1996).
    """

    is_monotone: ClassVar[bool] = True
    is_joint: ClassVar[bool] = True

    k: int = param(3, "Least number of records that have a combination.", ge=2)
    dimension: int = param(3, "Largest number of keys in a combination.", ge=1, le=10)

    def fails_in(self, classes: Classes) -> Bools:
        """Classes with a combination that too few records share."""
        from ammg.kernels.anonymity.key_table import KeyTable

        columns = tuple(np.ascontiguousarray(column) for column in classes.keys)
        sizes = tuple(int(column.max(initial=0)) + 1 for column in columns)
        table = KeyTable(columns, sizes, classes.counts)
        return np.asarray(self.find(table, np.arange(len(classes))).by_record > 0)

    def find(
        self, table: KeyTable, records: Ints, subsets: Sequence[tuple[int, ...]] | None = None
    ) -> FoundCombinations:
        """The unsafe combinations of a table, cell by cell, for all subsets of up to `dimension` keys or given ones.

        `records` gives one record of each cell.
        """
        from ammg.criteria.unsafe_combinations import find_in_table, subsets_up_to

        chosen = subsets_up_to(len(table.codes), self.dimension) if subsets is None else subsets
        return find_in_table(table, self.k, chosen, records)


class IndividualRisk(Criterion):
    """The re-identification risk, given the weights behind a combination, stays below a threshold.

    Source: Benedetti and Franconi (1998).
    """

    threshold: float = param(0.1, "Records with a higher risk are unsafe.", gt=0, le=1)
    model: Literal["negative_binomial", "approximate", "poisson"] = param(
        "negative_binomial", "Distribution of the population frequency; `approximate` is that of sdcMicro."
    )

    def fails_in(self, classes: Classes) -> Bools:
        """Classes whose records have a higher risk."""
        people = np.maximum(_people(classes, "individual_risk"), classes.counts)
        return np.asarray(self.risk(classes.counts.astype(np.float64), people) > self.threshold)

    def risk(self, sample: Floats, people: Floats) -> Floats:
        """The expected 1/F, from the records of each class in the file and the people they stand for."""
        from ammg.kernels.population import individual_risk

        laws = {
            "negative_binomial": individual_risk.negative_binomial_risk,
            "approximate": individual_risk.approximate_risk,
            "poisson": individual_risk.poisson_risk,
        }
        return laws[self.model](sample, people)


def _people(classes: Classes, name: str) -> Floats:
    if classes.weights is None:
        raise InputError(f"{name} is about the population: give an attribute the role weight.")
    return classes.weights
