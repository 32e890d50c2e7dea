"""Entropy l-diversity."""

from __future__ import annotations

from typing import ClassVar, Literal

from ammg.criteria import sensitive_values
from ammg.measures.anonymity.attribute_disclosure import AttributeDisclosure


class EntropyLDiversity(sensitive_values.EntropyLDiversity, AttributeDisclosure):
    """Share of released records whose equivalence class has an effective number of confidential values below l.

    The effective number is the exponential of the entropy: 1 when all share one value, m when m values are equally
    frequent. Source: Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), ACM TKDD 1(1).
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "smallest"
