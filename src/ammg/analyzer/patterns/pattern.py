"""A pattern: the form of a value, and the check that a random value of that form would fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np
import polars as pl
from numpy.typing import NDArray

Check = Callable[[pl.Series], NDArray[np.bool_]]


@dataclass(frozen=True)
class Pattern:
    """One kind of direct identifier, recognised by its values."""

    name: str
    """What the values are, in words: `a Dutch BSN`."""
    form: str
    """Regular expression for the whole value, after `strip` was taken out."""
    check: Check | None = None
    """Which of the values that have the form pass the check."""
    strip: str = ""
    """Characters that may stand between the signs."""
    width: int = 0
    """Digits of the full number: numbers that lost their leading zeros get them back."""
    least: float = 0.9
    """Share of the values that must match."""
    numeric: bool = False
    """Whether plain numbers of any column may be tried, or only texts."""

    def matches(self, values: pl.Series, *, numbers: bool = False) -> NDArray[np.bool_]:
        """Which of these texts are of this kind."""
        if self.strip:
            values = values.str.replace_all(f"[{self.strip}]", "")
        if numbers and self.width:
            values = values.str.zfill(self.width)
        found = values.str.contains(f"^(?:{self.form})$").fill_null(False).to_numpy().copy()
        if self.check is not None and found.any():
            found[found] = self.check(values.filter(pl.Series(found)))
        return found


def stdnum(*names: str) -> Check:
    """The check of a number as python-stdnum knows it; with several names, values may be any of these numbers."""

    def check(values: pl.Series) -> NDArray[np.bool_]:
        kinds = [import_module(f"stdnum.{name}") for name in names]
        texts = values.str.to_uppercase().to_list()
        return np.array([any(kind.is_valid(text) for kind in kinds) for text in texts], dtype=bool)

    return check
