"""Which pattern a column's values follow."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from ammg.analyzer.patterns.contacts import CONTACTS
from ammg.analyzer.patterns.national_numbers import NATIONAL_NUMBERS
from ammg.analyzer.patterns.pattern import Pattern
from ammg.analyzer.patterns.person_names import PERSON_NAMES

PATTERNS: tuple[Pattern, ...] = (*NATIONAL_NUMBERS, *CONTACTS, *PERSON_NAMES)
MOST_VALUES = 1000
"""Values that are looked at: enough to tell a share of 90 % from one of 85 %."""
_LEAST_VALUES = 5  # fewer values can pass a check digit by chance
_SHORTEST_NUMBER = 8  # digits of the shortest number with a check digit, a leading zero lost
_SHORTEST_TEXT = 5
_GLANCE = 50  # values that rule most patterns out


@dataclass(frozen=True)
class Recognised:
    """A pattern, and the share of the values that follow it."""

    name: str
    share: float


def recognise(values: pl.Series) -> Recognised | None:
    """The pattern that most of these distinct values follow, the one with the largest share if several do.

    A number passes a check digit by chance once in ten or so; five different ones that all pass do not.
    """
    numbers = values.dtype.is_integer()
    if not numbers and values.dtype != pl.String:
        if not isinstance(values.dtype, pl.Enum) and values.dtype != pl.Categorical:
            return None
        values = values.cast(pl.String)
    texts = values.head(MOST_VALUES).cast(pl.String).str.strip_chars()
    texts = texts.filter(texts.str.len_chars() > 0)
    longest = int(texts.str.len_bytes().to_numpy().max(initial=0))
    if len(texts) < _LEAST_VALUES or longest < (_SHORTEST_NUMBER if numbers else _SHORTEST_TEXT):
        return None
    best: Recognised | None = None
    for pattern in PATTERNS:
        if numbers and not pattern.numeric:
            continue
        if pattern.matches(texts.head(_GLANCE), numbers=numbers).mean() < 0.5 * pattern.least:
            continue
        share = float(pattern.matches(texts, numbers=numbers).mean())
        if share >= pattern.least and (best is None or share > best.share):
            best = Recognised(pattern.name, share)
    return best
