"""What a step was asked to change, so that a value which stayed as it was can be told from one left alone by design."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Alteration:
    """A step was to change every value of these columns: one that stays as it was could not be masked.

    Steps that keep values by design (recoding, rounding, swapping, grouping, suppression) promise no such thing; what
    they leave is charged by the attacks.
    """

    columns: tuple[str, ...]
    rounded: tuple[str, ...] = ()
    """Columns whose values are rounded afterwards and may come back to what they were by chance."""
    zeros_stay: bool = False
    """Whether zeros stay zero by design."""
    among: Any = field(default=None, compare=False, repr=False)
    """The condition that limited the step to some records, as in `Published`."""
