"""Distinct l-diversity."""

from __future__ import annotations

from typing import ClassVar, Literal

from ammg.criteria import sensitive_values
from ammg.measures.anonymity.attribute_disclosure import AttributeDisclosure


class DistinctLDiversity(sensitive_values.DistinctLDiversity, AttributeDisclosure):
    """Share of released records whose equivalence class has fewer than l distinct confidential values.

    A missing confidential value adds no diversity. With `joint`, several attributes are tested within each other.
    Source: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), ACM TKDD 1(1).
    """

    also_called: ClassVar[tuple[str, ...]] = ("LDiversity", "Ldiversity")  # as sdcMicro spells it

    worst: ClassVar[Literal["smallest", "largest"]] = "smallest"
