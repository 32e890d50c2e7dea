"""How strong a parameter is: its place between the mild and the strong end of the range that a unit declares."""

from __future__ import annotations

import math
from typing import Any

from pydantic import BaseModel

from ammg.params import SearchRange


def value_at(unit: type[BaseModel], name: str, searched: SearchRange, share: float) -> float:
    """The value at this share of the way from the mild to the strong end; three digits, for people to read."""
    assert searched.mild is not None and searched.strong is not None
    if searched.log:
        value = searched.mild * (searched.strong / searched.mild) ** share
    else:
        value = searched.mild + share * (searched.strong - searched.mild)
    return round(value) if _is_integer(unit, name) else float(f"{value:.3g}")


def share_of(searched: SearchRange, value: float) -> float:
    """The share of the way from the mild to the strong end at which a value stands."""
    assert searched.mild is not None and searched.strong is not None
    if searched.log:
        share = math.log(value / searched.mild) / math.log(searched.strong / searched.mild)
    else:
        share = (value - searched.mild) / (searched.strong - searched.mild)
    return min(max(share, 0.0), 1.0)


def _is_integer(unit: type[BaseModel], name: str) -> bool:
    annotation: Any = unit.model_fields[name].annotation
    return annotation is int or annotation == int | None
