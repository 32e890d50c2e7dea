"""Distinct l-diversity."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from ammg.data.attribute import Attribute
from ammg.measures.attribute_disclosure import AttributeDisclosure, Bools
from ammg.measures.released_key import Floats
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.distributions import ClassDistributions


class DistinctLDiversity(AttributeDisclosure):
    """Share of released records whose look-alikes have fewer than l distinct confidential values.

    A missing confidential value adds no diversity. With `joint`, several attributes are tested within each other.
    Source: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), ACM TKDD 1(1).
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "smallest"

    least: int = param(2, "Least number of distinct values in a class.", ge=2)

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Number of distinct values."""
        from ammg.criteria.diversity import distinct_diversity

        return distinct_diversity(distributions)

    def fails(self, scores: Floats) -> Bools:
        """Too few."""
        return scores < self.least
