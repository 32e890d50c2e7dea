"""Recursive (c, l)-diversity."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from ammg.data.attribute import Attribute
from ammg.measures.attribute_disclosure import AttributeDisclosure, Bools
from ammg.measures.released_key import Floats
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.distributions import ClassDistributions


class RecursiveLDiversity(AttributeDisclosure):
    """Share of released records in whose class the most frequent confidential value dominates the rarer ones.

    A class holds when the most frequent value occurs less than c times as often as all values from the l-th most
    frequent on, l being the rank. Source: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), ACM TKDD 1(1).
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "smallest"

    rank: int = param(2, "Rank from which on the rarer values are added up.", ge=2)
    c: float = param(2.0, "How many times as frequent the most frequent value may be.", gt=0)

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Largest l that holds for this c."""
        from ammg.criteria.diversity import recursive_diversity

        return recursive_diversity(distributions, self.c)

    def fails(self, scores: Floats) -> Bools:
        """Does not hold for l."""
        return scores < self.rank
