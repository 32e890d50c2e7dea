"""t-closeness for ordered values."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from ammg.data.attribute import Attribute
from ammg.measures.attribute_disclosure import AttributeDisclosure, Bools
from ammg.measures.released_key import Floats
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.distributions import ClassDistributions


class OrderedTCloseness(AttributeDisclosure):
    """Share of released records whose look-alikes differ by more than t from the file, in order of the values.

    The earth mover's distance with neighbouring values equally far apart: for numbers and ordered categories.
    Source: Li, Li and Venkatasubramanian (2007), ICDE.
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "largest"

    t: float = param(0.2, "Greatest distance of a class from the file.", ge=0, le=1)

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Distance of each class."""
        from ammg.criteria.closeness import ordered_distance

        return ordered_distance(distributions)

    def fails(self, scores: Floats) -> Bools:
        """Too far."""
        return scores > self.t
