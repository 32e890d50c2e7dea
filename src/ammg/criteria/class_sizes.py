"""Criteria on how many records or people share a class."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from ammg.criteria.criterion import Bools, Classes, Criterion, Floats
from ammg.errors import InputError
from ammg.params import param


class KAnonymity(Criterion):
    """At least k records look alike (Samarati and Sweeney 1998)."""

    is_monotone: ClassVar[bool] = True

    k: int = param(3, "Least number of records that look alike.", ge=2)

    def fails_in(self, classes: Classes) -> Bools:
        """Classes of fewer than k."""
        from ammg.criteria.anonymity import violates_anonymity

        return violates_anonymity(classes.counts, self.k)


class KMap(Criterion):
    """At least k people of the population look alike, by the weights of the records (Sweeney 2001)."""

    is_monotone: ClassVar[bool] = True

    k: int = param(5, "Least number of people who look alike.", ge=2)

    def fails_in(self, classes: Classes) -> Bools:
        """Classes that stand for fewer than k."""
        from ammg.criteria.anonymity import violates_anonymity

        return violates_anonymity(_people(classes, "k_map"), self.k)


class DeltaPresence(Criterion):
    """Of the people who look alike, by the weights of the records, the file holds a share between two bounds.

    Whoever knows that a person belongs to the population learns no more about whether they are in the file. Source:
    Nergiz, Atzori and Clifton (2007).
    """

    most: float = param(0.5, "Greatest share of look-alikes that is in the file.", gt=0, le=1)
    fewest: float = param(0.0, "Least share of look-alikes that is in the file.", ge=0, lt=1)

    def fails_in(self, classes: Classes) -> Bools:
        """Classes of which the file holds too much or too little."""
        share = classes.counts / np.maximum(_people(classes, "delta_presence"), classes.counts)
        return np.asarray((share > self.most) | (share < self.fewest))


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
        from ammg.kernels.population import population_uniques as estimators

        alone: Bools = np.asarray(classes.counts == 1)
        if not alone.any():
            return alone
        people = float(np.maximum(_people(classes, "population_uniqueness"), classes.counts).sum())
        sample = estimators.class_sizes(classes.counts, float(classes.counts.sum()) / people)
        models = {
            "dankar": lambda sizes: estimators.dankar_uniques(sizes)[0],
            "pitman": estimators.pitman_uniques,
            "zayatz": estimators.zayatz_uniques,
            "snb": estimators.snb_uniques,
        }
        is_met = bool(models[self.model](sample) <= self.threshold * people)
        return np.zeros_like(alone) if is_met else alone


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
        from ammg.criteria.unsafe_combinations import subsets_up_to
        from ammg.kernels.anonymity.cells import count_cells

        rare = np.zeros(len(classes), np.bool_)
        for subset in subsets_up_to(len(classes.keys), self.dimension):
            columns = [np.ascontiguousarray(classes.keys[key]) for key in subset]
            cells = count_cells(columns, [int(column.max(initial=0)) + 1 for column in columns], n=len(classes))
            complete = np.all([column >= 0 for column in columns], axis=0)
            sums = np.bincount(cells.index, classes.counts, len(cells))
            rare |= complete & (sums[cells.index] < self.k)
        return rare


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
        from ammg.kernels.population import individual_risk

        laws = {
            "negative_binomial": individual_risk.negative_binomial_risk,
            "approximate": individual_risk.approximate_risk,
            "poisson": individual_risk.poisson_risk,
        }
        people = np.maximum(_people(classes, "individual_risk"), classes.counts)
        return np.asarray(laws[self.model](classes.counts.astype(np.float64), people) > self.threshold)


def _people(classes: Classes, name: str) -> Floats:
    if classes.weights is None:
        raise InputError(f"{name} is about the population, and there is no weight: give an attribute that role.")
    return classes.weights
