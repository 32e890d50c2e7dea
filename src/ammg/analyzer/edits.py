"""Edit rules that hold in every record and would not hold by chance: what masking could make impossible."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from operator import itemgetter
from typing import Any

import polars as pl

from ammg.data.rules.parse import parse_rule
from ammg.data.rules.rule import Rule, quoted_literal
from ammg.data.rules.tokens import quoted

_FEWEST = 30  # records that a rule is about
_CHANCE = 1e-9  # that so many records would agree if the attributes had nothing to do with each other
_MOST_CATEGORIES = 40
_MOST_ABSENT = 20  # combinations of two attributes that one rule lists
_MORE = 10  # rules of each further form
_SHOWN = 25  # rules that are proposed, those about most records first
_End = tuple[str, Any, Any, int]  # a category with the least, the greatest and the count of a number in it


def find_edits(frame: pl.DataFrame, numbers: Sequence[str], categories: Sequence[str]) -> list[Rule]:
    """Implications between a number and a category that hold in every record, those about most records first.

    Below or above some number only one category occurs (`age < 16 implies marital_status = 'single'`), or in some
    category only one number does (`occupation = 'none' implies hours = 0`). Then combinations of two categories that
    never occur although both are frequent, and numbers that are never negative although many of them are small.
    """
    found: list[tuple[int, str]] = []
    for category in categories:
        pairs = frame.select(pl.col(category).cast(pl.String), pl.col(numbers)).drop_nulls(category)
        shares = pairs[category].value_counts(normalize=True)
        if not 2 <= len(shares) <= _MOST_CATEGORIES:
            continue
        share = dict(shares.rows())
        for number, ends in _ends(pairs, category, numbers):
            if len(ends) > 1:
                values = pairs[number].drop_nulls()
                found += [*_beyond(values, ends, share, number, category), *_constant(values, ends, number, category)]
    found.sort(key=lambda entry: (-entry[0], entry[1]))
    shown = [text for _, text in found[:_SHOWN]]
    return [parse_rule(text) for text in (*shown, *_forbidden(frame, categories), *_not_negative(frame, numbers))]


def _ends(pairs: pl.DataFrame, category: str, numbers: Sequence[str]) -> Iterator[tuple[str, list[_End]]]:
    """The least and the greatest of each number within each category, in one pass for all numbers."""
    groups = pairs.group_by(category, maintain_order=True)
    lows, highs, counts = (groups.agg(part) for part in (pl.all().min(), pl.all().max(), pl.all().count()))
    for number in numbers:
        every = zip(lows[category], lows[number], highs[number], counts[number], strict=True)
        yield number, [end for end in every if end[3]]


def _forbidden(frame: pl.DataFrame, categories: Sequence[str]) -> list[str]:
    """Combinations of two categories that are missing from the file and would be there by chance."""
    found: list[tuple[float, str]] = []
    for one, other in combinations(categories, 2):
        pair = frame.select(pl.col(one, other).cast(pl.String)).drop_nulls()
        sides = [dict(pair[name].value_counts().rows()) for name in (one, other)]
        if not all(2 <= len(side) <= _MOST_CATEGORIES for side in sides):
            continue
        there = set(pair.unique().rows())
        absent = [
            (first * second / len(pair), (word, to))
            for word, first in sides[0].items()
            for to, second in sides[1].items()
            if (word, to) not in there and first * second / len(pair) > -math.log(_CHANCE)
        ]
        if not absent or len(there) <= len(sides[0]) + len(sides[1]) or len(absent) > _MOST_ABSENT:
            continue  # categories that determine each other are levels of one hierarchy, not edits
        words = ", ".join(f"({quoted_literal(a)}, {quoted_literal(b)})" for _, (a, b) in sorted(absent, reverse=True))
        text = f"({quoted(one)}, {quoted(other)}) not in ({words})"
        found.append((sum(expected for expected, _ in absent), text))
    return [text for _, text in sorted(found, key=lambda entry: (-entry[0], entry[1]))[:_MORE]]


def _not_negative(frame: pl.DataFrame, numbers: Sequence[str]) -> list[str]:
    """Numbers without a negative value, many of which are so small that masking could make one."""
    found = []
    for name in numbers:
        values = frame[name].drop_nulls()
        lowest, spread = values.min(), values.std()
        if not isinstance(lowest, int | float) or not isinstance(spread, float) or lowest < 0 or not spread:
            continue
        near = int((values < spread).sum())
        if near >= _FEWEST:
            found.append((near, f"{quoted(name)} >= 0"))
    return [text for _, text in sorted(found, key=lambda entry: (-entry[0], entry[1]))[:_MORE]]


def confirmed(rules: Sequence[Rule], frames: Iterable[pl.DataFrame]) -> list[Rule]:
    """Those that no record of any frame breaks."""
    kept = list(rules)
    for frame in frames:
        kept = [rule for rule in kept if not rule.check(frame).any()]
    return kept


def _beyond(
    values: pl.Series, ends: list[_End], share: dict[str, float], number: str, category: str
) -> list[tuple[int, str]]:
    """Numbers below, or above, which there is one category only."""
    found = []
    for sign, end, lowest in (("<", 1, True), (">", 2, False)):
        outermost, next_to_it = sorted(ends, key=itemgetter(end), reverse=not lowest)[:2]
        word, limit = outermost[0], next_to_it[end]
        if outermost[end] == limit or outermost[3] < _FEWEST:
            continue
        records = int((values < limit if lowest else values > limit).sum())
        if records >= _FEWEST and records * math.log(share.get(word, 1.0)) < math.log(_CHANCE):
            text = (
                f"{quoted(number)} {sign} {quoted_literal(limit)} implies {quoted(category)} = {quoted_literal(word)}"
            )
            found.append((records, text))
    return found


def _constant(values: pl.Series, ends: list[_End], number: str, category: str) -> list[tuple[int, str]]:
    """Categories in which there is one number only, one that others have too."""
    found = []
    for word, low, high, records in ends:
        if low != high or records < _FEWEST:
            continue
        likely = int((values == low).sum()) / len(values)
        if likely < 1 and records * math.log(likely) < math.log(_CHANCE):
            text = f"{quoted(category)} = {quoted_literal(word)} implies {quoted(number)} = {quoted_literal(low)}"
            found.append((records, text))
    return found
