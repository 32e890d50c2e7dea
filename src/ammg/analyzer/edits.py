"""Edit rules that hold in every record and would not hold by chance: what masking could make impossible."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import polars as pl

from ammg.data.rules.parse import parse_rule
from ammg.data.rules.rule import Rule, quoted_literal
from ammg.data.rules.tokens import quoted

_FEWEST = 30  # records that a rule is about
_CHANCE = 1e-9  # that so many records would agree if the attributes had nothing to do with each other
_MOST_CATEGORIES = 40
_SHOWN = 25  # rules that are proposed, those about most records first


def find_edits(frame: pl.DataFrame, numbers: Sequence[str], categories: Sequence[str]) -> list[Rule]:
    """Implications between a number and a category that hold in every record, those about most records first.

    Below or above some number only one category occurs (`age < 16 implies marital_status = 'single'`), or in some
    category only one number does (`occupation = 'none' implies hours = 0`).
    """
    found: list[tuple[int, str]] = []
    for category in categories:
        shares = frame[category].cast(pl.String).drop_nulls().value_counts(normalize=True)
        if not 2 <= len(shares) <= _MOST_CATEGORIES:
            continue
        share = dict(shares.rows())
        for number in numbers:
            pair = frame.select(pl.col(category).cast(pl.String).alias("word"), pl.col(number).alias("x")).drop_nulls()
            ends = pair.group_by("word").agg(
                pl.col("x").min().alias("low"), pl.col("x").max().alias("high"), pl.len().alias("records")
            )
            if len(ends) > 1:
                found += [*_beyond(pair, ends, share, number, category), *_constant(pair, ends, number, category)]
    found.sort(key=lambda entry: (-entry[0], entry[1]))
    return [parse_rule(text) for _, text in found[:_SHOWN]]


def confirmed(rules: Sequence[Rule], frames: Iterable[pl.DataFrame]) -> list[Rule]:
    """Those that no record of any frame breaks."""
    kept = list(rules)
    for frame in frames:
        kept = [rule for rule in kept if not rule.check(frame).any()]
    return kept


def _beyond(
    pair: pl.DataFrame, ends: pl.DataFrame, share: dict[str, float], number: str, category: str
) -> list[tuple[int, str]]:
    """Numbers below, or above, which there is one category only."""
    found = []
    for sign, end, lowest in (("<", "low", True), (">", "high", False)):
        order = ends.sort(end, descending=not lowest)
        (word, other), (first, limit) = order["word"].to_list()[:2], order[end].to_list()[:2]
        if first == limit:
            continue
        beyond = pair.filter(pl.col("x") < limit if lowest else pl.col("x") > limit)
        records = len(beyond)
        likely = share.get(word, 1.0)
        if records >= _FEWEST and other != word and records * math.log(likely) < math.log(_CHANCE):
            text = (
                f"{quoted(number)} {sign} {quoted_literal(limit)} implies {quoted(category)} = {quoted_literal(word)}"
            )
            found.append((records, text))
    return found


def _constant(pair: pl.DataFrame, ends: pl.DataFrame, number: str, category: str) -> list[tuple[int, str]]:
    """Categories in which there is one number only, one that others have too."""
    found = []
    for word, low, high, records in ends.rows():
        if low != high or records < _FEWEST:
            continue
        likely = len(pair.filter(pl.col("x") == low)) / len(pair)
        if likely < 1 and records * math.log(likely) < math.log(_CHANCE):
            text = f"{quoted(category)} = {quoted_literal(word)} implies {quoted(number)} = {quoted_literal(low)}"
            found.append((records, text))
    return found
