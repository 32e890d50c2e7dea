"""Recursive (c, l)-diversity."""

from __future__ import annotations

from typing import ClassVar, Literal

from ammg.criteria import sensitive_values
from ammg.measures.anonymity.attribute_disclosure import AttributeDisclosure


class RecursiveLDiversity(sensitive_values.RecursiveLDiversity, AttributeDisclosure):
    """Share of released records in whose class the most frequent confidential value dominates the rarer ones.

    A class is safe if its most frequent value occurs less than c times as often as all values from the l-th most
    frequent on. Source: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), ACM TKDD 1(1).
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "smallest"
