"""Basic β-likeness."""

from __future__ import annotations

from typing import ClassVar, Literal

from ammg.criteria import sensitive_values
from ammg.measures.anonymity.attribute_disclosure import AttributeDisclosure


class BasicBetaLikeness(sensitive_values.BasicBetaLikeness, AttributeDisclosure):
    """Share of released records whose class raises the share of a confidential value by more than β times.

    The measure is the largest relative gain (p - q) / q, where p is the share in the class and q the share in the file.
    Source: Cao and Karras (2012), PVLDB 5(11).
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "largest"
