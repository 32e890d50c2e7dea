"""Enhanced β-likeness."""

from __future__ import annotations

from typing import ClassVar, Literal

from ammg.criteria import sensitive_values
from ammg.measures.anonymity.attribute_disclosure import AttributeDisclosure


class EnhancedBetaLikeness(sensitive_values.EnhancedBetaLikeness, AttributeDisclosure):
    """Share of released records whose class raises the share of a confidential value by more than β or its surprise.

    The gain (p - q) / q is also limited by -ln q, so that frequent values may not become nearly certain.
    Source: Cao and Karras (2012), PVLDB 5(11).
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "largest"
