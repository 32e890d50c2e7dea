"""Rule: nothing that identifies one person is released."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from ammg.analyzer.distinct import CAPACITY, hashes
from ammg.analyzer.patterns.recognise import MOST_VALUES, Recognised, recognise
from ammg.data.attribute import Role
from ammg.release.gate_rules.evidence import Evidence, Facts, present
from ammg.release.gate_rules.rule import Finding, Rule

_LEAST = 20  # texts that are all different say something from here on
_UNIQUE = 0.9


class _Texts(NamedTuple):
    """What one part of a column shows."""

    pattern: Recognised | None
    values: int
    hashes: pl.Series
    """Of texts without a role: those of the values that belong to a random sample of all values."""


def _look(facts: Facts, original: pl.DataFrame, masked: pl.DataFrame) -> dict[str, _Texts]:
    limit = min((1 << 64) * 8 * CAPACITY // max(facts.records, 1), (1 << 64) - 1)
    found = {}
    for name in present(masked, facts.released):
        values = masked[name].drop_nulls()
        keys = pl.Series([], dtype=pl.UInt64)
        if facts.after[name].role is Role.OTHER and values.dtype == pl.String:
            keys = hashes(values)
            keys = keys.filter(keys <= limit)
        spread = values.gather_every(max(1, len(values) // (10 * MOST_VALUES)))
        found[name] = _Texts(recognise(spread.unique(maintain_order=True)), len(values), keys)
    return found


def _check(evidence: Evidence) -> Iterator[Finding]:
    parts = evidence.looked(IDENTIFIERS.name)
    for name in evidence.unchanged():
        if name in evidence.pseudonymous:
            continue
        if name in evidence.identifiers:
            yield Finding(f"'{name}' is an identifier and would be released unchanged: keep its role, or replace it")
            continue
        found = [part[name] for part in parts]
        patterns = [texts.pattern for texts in found if texts.pattern is not None]
        if patterns:
            pattern = max(patterns, key=lambda pattern: pattern.share)
            yield Finding(
                f"'{name}' appears to hold {pattern.name} ({100 * pattern.share:.0f} % of the values "
                "examined): give it the role identifier, or replace it"
            )
        elif evidence.after[name].role is Role.OTHER and _names_people(found):
            yield Finding(
                f"'{name}' is text that differs in nearly every record and has no role: give it the role "
                "identifier, or make it a key or confidential and mask it"
            )


def _names_people(parts: list[_Texts]) -> bool:
    """Whether nearly all texts differ, from a sample of values that are counted in all records."""
    keys = pl.concat([part.hashes for part in parts])
    return len(keys) >= _LEAST and keys.n_unique() >= _UNIQUE * len(keys)


IDENTIFIERS = Rule(
    "identifiers", "No identifier is released, whether declared or recognised by its values.", _check, _look
)
