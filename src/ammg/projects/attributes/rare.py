"""The rarest combinations of what an intruder knows, with the records that have them."""

from __future__ import annotations

import polars as pl

from ammg.analyzer.profile import frames
from ammg.data.microdata import Microdata
from ammg.data.scenario import Scenario

FEW = 3
"""Records from which a combination is no longer shown."""
_SHOWN = 100


def rare_combinations(data: Microdata, scenario: Scenario) -> list[str]:
    """One sentence for each of the rarest combinations, the rarest first; for the owner alone."""
    known = scenario.known_in(data.schema)
    parts: list[pl.DataFrame] = []
    start = 0
    for frame in frames(data, known):
        numbered = frame.with_columns(pl.int_range(start + 1, start + frame.height + 1).alias(_first(known)))
        parts.append(numbered.group_by(known).agg(pl.len().alias(_count(known)), pl.col(_first(known)).min()))
        start += frame.height
    if not parts:
        return []
    together = pl.concat(parts).group_by(known).agg(pl.col(_count(known)).sum(), pl.col(_first(known)).min())
    rare = together.filter(pl.col(_count(known)) < FEW).sort(_count(known), _first(known))
    sentences = []
    for row in rare.head(_SHOWN).iter_rows(named=True):
        said = ", ".join(f"{name} {'missing' if row[name] is None else row[name]}" for name in known)
        count, first = row[_count(known)], row[_first(known)]
        whose = f"record {first:,} alone" if count == 1 else f"{count} records, the first is {first:,}"
        sentences.append(f"{said}: {whose}")
    if rare.height > _SHOWN:
        sentences.append(f"… and {rare.height - _SHOWN:,} more combinations of fewer than {FEW} records")
    return sentences


def _count(known: list[str]) -> str:
    """A name that no column has."""
    return f"records of {'|'.join(known)}"


def _first(known: list[str]) -> str:
    return f"first of {'|'.join(known)}"
