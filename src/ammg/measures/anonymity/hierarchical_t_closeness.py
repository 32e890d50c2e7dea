"""t-closeness for values in a hierarchy."""

from __future__ import annotations

from typing import ClassVar, Literal

from ammg.criteria import sensitive_values
from ammg.measures.anonymity.attribute_disclosure import AttributeDisclosure


class HierarchicalTCloseness(sensitive_values.HierarchicalTCloseness, AttributeDisclosure):
    """Share of released records whose equivalence class differs by more than t from the file, along a hierarchy.

    The distance of two values is the height of their lowest common generalisation. Needs the hierarchy of the
    attribute. Source: Li, Li and Venkatasubramanian (2007), ICDE.
    """

    worst: ClassVar[Literal["smallest", "largest"]] = "largest"
