"""t-closeness for unordered values."""

from __future__ import annotations

from typing import ClassVar, Literal

from ammg.criteria import sensitive_values
from ammg.measures.anonymity.attribute_disclosure import AttributeDisclosure


class EqualTCloseness(sensitive_values.EqualTCloseness, AttributeDisclosure):
    """Share of released records whose equivalence class differs by more than t from the file, for unordered values.

    The distance is half the sum of the absolute differences of the shares: all values count as equally far apart.
    Source: Li, Li and Venkatasubramanian (2007), ICDE.
    """

    also_called: ClassVar[tuple[str, ...]] = ("TCloseness",)
    worst: ClassVar[Literal["smallest", "largest"]] = "largest"
