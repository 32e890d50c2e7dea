"""Columns in which a step must change every value, so that values it failed to mask can be found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Alteration:
    """A step was meant to change every value of these columns: a value that is unchanged could not be masked.

    Steps that keep values by design (recoding, rounding, swapping, grouping, suppression) make no such promise; the
    attacks measure the risk of the values they keep.
    """

    columns: tuple[str, ...]
    rounded: tuple[str, ...] = ()
    """Columns whose values are rounded afterwards and may return to the original value by chance."""
    zeros_stay: bool = False
    """Whether zeros stay zero by design."""
    among: Any = field(default=None, compare=False, repr=False)
    """The condition that limited the step to some records, as in `Published`."""
