"""t-closeness for ordered values."""

from __future__ import annotations

from typing import ClassVar, Literal

from ammg.criteria import sensitive_values
from ammg.measures.anonymity.attribute_disclosure import AttributeDisclosure


class OrderedTCloseness(sensitive_values.OrderedTCloseness, AttributeDisclosure):
    """Share of released records whose equivalence class differs by more than t from the file, for ordered values.

    The earth mover's distance with neighbouring values equally far apart, for numbers and ordered categories. Source:
    Li, Li and Venkatasubramanian (2007), ICDE.
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "largest"
