"""Plain numbers and words, as facts, tables and charts hold them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Scalar = str | float | None
"""A word or a number; None where a number is not defined or not bounded, because JSON has neither NaN nor infinity."""


def scalar(value: Any) -> Scalar:
    """The value as a plain number or word."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | bool | int | float):
        return value
    raise TypeError(f"a fact, a label or a cell is a number or a word, not {type(value).__name__}")


def number(value: Any) -> float | None:
    """The value as a plain number."""
    plain = scalar(value)
    if isinstance(plain, str):
        raise TypeError(f"'{plain}' stands where a number belongs")
    return plain
