"""A pattern: the form of a value, and the check that a random value of that form would fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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


def digits(values: pl.Series, width: int | None = None) -> NDArray[np.int64]:
    """The digits of texts of one length as an n × width matrix; other signs are taken out first."""
    plain = values.str.replace_all("[^0-9]", "")
    size = width or int(plain.str.len_bytes().to_numpy().max(initial=0))
    raw = "".join(plain.str.zfill(size).str.slice(0, size).to_list())
    return np.frombuffer(raw.encode(), dtype=np.uint8).reshape(len(values), size).astype(np.int64) - 48


def weighted(matrix: NDArray[np.int64], weights: tuple[int, ...]) -> NDArray[np.int64]:
    """Weighted digit sums over the leading columns."""
    return np.asarray(matrix[:, : len(weights)] @ np.array(weights))


def luhn(matrix: NDArray[np.int64]) -> NDArray[np.bool_]:
    """The check of ISO/IEC 7812: every second digit from the right doubled, digits summed, a multiple of ten."""
    doubled = matrix.copy()
    doubled[:, -2::-2] *= 2
    return np.asarray((doubled // 10 + doubled % 10).sum(axis=1) % 10 == 0)


def remainder(values: pl.Series, modulus: int) -> NDArray[np.int64]:
    """Decimal numbers of any length modulo a small number, digit by digit."""
    width = values.str.len_bytes()
    out = np.zeros(len(values), dtype=np.int64)
    matrix, lengths = digits(values), width.to_numpy()
    longest = matrix.shape[1]
    for position in range(longest):
        inside = position >= longest - lengths
        out = np.where(inside, (out * 10 + matrix[:, position]) % modulus, out)
    return out


def is_date(year: NDArray[np.int64], month: NDArray[np.int64], day: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether month and day exist; the year is free."""
    longest = np.array([0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    inside = (month >= 1) & (month <= 12) & (day >= 1)
    return np.asarray(inside & (day <= longest[np.where(inside, month, 0)]) & (year >= 0))
