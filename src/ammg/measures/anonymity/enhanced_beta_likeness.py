"""Enhanced β-likeness."""

from __future__ import annotations

from typing import ClassVar, Literal

from ammg.criteria import sensitive_values
from ammg.measures.anonymity.attribute_disclosure import AttributeDisclosure


class EnhancedBetaLikeness(sensitive_values.EnhancedBetaLikeness, AttributeDisclosure):
    """Share of released records whose class raises the share of a confidential value by more than min(β, -ln q) times.

    The gain (p - q) / q is limited by β and by -ln q, so that frequent values cannot become nearly certain (p is the
    share in the class, q the share in the file). Source: Cao and Karras (2012), PVLDB 5(11).
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "largest"
