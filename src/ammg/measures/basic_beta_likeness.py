"""Basic β-likeness."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from ammg.data.attribute import Attribute
from ammg.measures.attribute_disclosure import AttributeDisclosure, Bools
from ammg.measures.released_key import Floats
from ammg.params import param

if TYPE_CHECKING:
    from ammg.criteria.distributions import ClassDistributions


class BasicBetaLikeness(AttributeDisclosure):
    """Share of released records whose class raises the share of a confidential value by more than β times.

    The largest relative gain (p - q) / q, p the share in the class and q in the file.
    Source: Cao and Karras (2012), PVLDB 5(11).
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "largest"

    beta: float = param(1.0, "Greatest relative gain.", gt=0)

    def score(self, distributions: ClassDistributions, attribute: Attribute) -> Floats:
        """Largest relative gain."""
        from ammg.criteria.likeness import basic_beta_likeness

        return basic_beta_likeness(distributions)

    def fails(self, scores: Floats) -> Bools:
        """Too large."""
        return scores > self.beta
