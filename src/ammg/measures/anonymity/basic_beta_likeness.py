"""Basic β-likeness."""

from __future__ import annotations

from typing import ClassVar, Literal

from ammg.criteria import sensitive_values
from ammg.measures.anonymity.attribute_disclosure import AttributeDisclosure


class BasicBetaLikeness(sensitive_values.BasicBetaLikeness, AttributeDisclosure):
    """Share of released records whose class raises the share of a confidential value by more than β times.

    The largest relative gain (p - q) / q, p the share in the class and q in the file.
    Source: Cao and Karras (2012), PVLDB 5(11).
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "largest"
