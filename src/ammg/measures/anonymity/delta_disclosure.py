"""δ-disclosure privacy."""

from __future__ import annotations

from typing import ClassVar, Literal

from ammg.criteria import sensitive_values
from ammg.measures.anonymity.attribute_disclosure import AttributeDisclosure


class DeltaDisclosure(sensitive_values.DeltaDisclosure, AttributeDisclosure):
    """Share of released records whose class multiplies or divides the odds of a confidential value by more than exp(δ).

    The measure is the largest |ln(share in the class / share in the file)|. By the strict definition, a class in which
    a value is absent fails. Source: Brickell and Shmatikov (2008), KDD.
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "largest"
