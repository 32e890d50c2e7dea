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
