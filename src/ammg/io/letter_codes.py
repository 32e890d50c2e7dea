"""Stata's missing values .a to .z as numbers, so that they are codes like those of other programs.

.a is -1000001, .b -1000002 and so on; in columns of large numbers there are more zeros, so that a code is at least ten
times as far from zero as any value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from ammg.data.attribute import Attribute

LETTERS = "abcdefghijklmnopqrstuvwxyz"

_LEAST, _MOST = 6, 14  # powers of ten; numbers up to 10^15 are exact, one by one


def with_numbers(values: pl.Series) -> tuple[pl.Series, dict[str, int]]:
    """A column of numbers and letters as numbers, and the number of each of the 26 letters."""
    held = values.to_list()
    plain = pl.Series(values.name, [None if isinstance(value, str) else value for value in held], dtype=pl.Float64)
    numbers = _numbers(plain)
    given = [numbers.get(value) if isinstance(value, str) else None for value in held]
    codes = pl.Series(values.name, given, dtype=pl.Float64)
    return plain.zip_with(codes.is_null(), codes), numbers


def _numbers(values: pl.Series) -> dict[str, int]:
    largest = float(values.abs().max() or 0.0)  # type: ignore[arg-type]
    power = next((p for p in range(_LEAST, _MOST + 1) if 10.0**p >= 10 * largest), _MOST)
    return {letter: -(10**power + place) for place, letter in enumerate(LETTERS, 1)}


def described(attribute: Attribute, held: Sequence[str], numbers: dict[str, int]) -> Attribute:
    """The attribute with the letters that the column holds or labels as codes."""
    labels = {numbers.get(value, value): label for value, label in attribute.value_labels.items()}
    letters = sorted({*held, *(value for value in attribute.value_labels if value in numbers)})
    return attribute.replace(value_labels=labels, missing_codes=tuple(numbers[letter] for letter in letters))


def letter_of(code: Any) -> str | None:
    """The letter that a code stands for; None for a code of another kind."""
    if isinstance(code, tuple | str) or not code < 0 or code != int(code):
        return None
    digits = str(-int(code))
    place = int(digits[-2:])
    is_one = _LEAST < len(digits) <= _MOST + 1 and int(digits) - place == 10 ** (len(digits) - 1)
    return LETTERS[place - 1] if is_one and 1 <= place <= len(LETTERS) else None


def with_letters(values: pl.Series, letters: dict[int, str]) -> pl.Series:
    """The column with letters for numbers, as Python objects."""
    mixed = [letters.get(value, value) for value in values.to_list()]
    return pl.Series(values.name, mixed, dtype=pl.Object)
