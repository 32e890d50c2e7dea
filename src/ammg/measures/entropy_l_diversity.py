"""Entropy l-diversity."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from ammg.data.attribute import Attribute
from ammg.measures.attribute_disclosure import AttributeDisclosure, Bools
from ammg.measures.released_key import Floats
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.distributions import ClassDistributions


class EntropyLDiversity(AttributeDisclosure):
    """Share of released records whose look-alikes have an effective number of confidential values below l.

    The effective number is the exponential of the entropy: 1 when all share one value, m when m values are equally
    frequent. Source: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), ACM TKDD 1(1).
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "smallest"

    least: float = param(2.0, "Least effective number of values in a class.", ge=1)

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Effective number of values."""
        from ammg.criteria.diversity import entropy_diversity

        return entropy_diversity(distributions)

    def fails(self, scores: Floats) -> Bools:
        """Too few."""
        return scores < self.least * (1 - 1e-12)
