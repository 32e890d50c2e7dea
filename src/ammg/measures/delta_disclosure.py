"""δ-disclosure privacy."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from ammg.data.attribute import Attribute
from ammg.measures.attribute_disclosure import AttributeDisclosure, Bools
from ammg.measures.released_key import Floats
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.distributions import ClassDistributions


class DeltaDisclosure(AttributeDisclosure):
    """Share of released records whose class multiplies or divides the odds of a confidential value by more than exp(δ).

    The largest |ln(share in the class / share in the file)|. By the strict definition a value that is absent from a
    class breaks it. Source: Brickell and Shmatikov (2008), KDD.
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "largest"

    delta: float = param(1.0, "Greatest logarithm of a ratio of shares.", gt=0)
    absent: bool = param(True, "Whether a value that a class lacks breaks the criterion.")

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Largest logarithm of a ratio."""
        from ammg.criteria.likeness import delta_disclosure

        return delta_disclosure(distributions, self.absent)

    def fails(self, scores: Floats) -> Bools:
        """Too large; the definition wants less than δ."""
        return scores >= self.delta
