"""t-closeness for unordered values."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from ammg.data.attribute import Attribute
from ammg.measures.attribute_disclosure import AttributeDisclosure, Bools
from ammg.measures.released_key import Floats
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.distributions import ClassDistributions


class EqualTCloseness(AttributeDisclosure):
    """Share of released records whose look-alikes differ by more than t from the file in a confidential attribute.

    The distance is half the sum of the absolute differences of the shares: all values are equally far apart.
    Source: Li, Li and Venkatasubramanian (2007), ICDE.
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "largest"

    t: float = param(0.2, "Greatest distance of a class from the file.", ge=0, le=1)

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Distance of each class."""
        from ammg.criteria.closeness import equal_distance

        return equal_distance(distributions)

    def fails(self, scores: Floats) -> Bools:
        """Too far."""
        return scores > self.t
