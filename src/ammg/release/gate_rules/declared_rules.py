"""Rule: records that met a declared rule before masking meet it afterwards.

An impossible combination (a widow of twelve) shows that a record was changed, and often which cell. A sum that noise
has broken shows only the noise, so broken identities are only a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import polars as pl

from ammg.data.rules.household_sum import TOTAL, HouseholdSum
from ammg.data.rules.linear import LinearRule
from ammg.data.rules.rule import Rule as DeclaredRule
from ammg.release.gate_rules.evidence import Evidence
from ammg.release.gate_rules.rule import Finding, Rule


class _Broken(NamedTuple):
    """What one part of the records shows."""

    newly: list[int]
    """For each rule, records that satisfied it before masking and no longer do."""
    after: list[int]
    """For each rule, masked records that do not meet it."""
    homes: list[tuple[pl.DataFrame, pl.DataFrame] | None]
    """For each sum over households, their original and their masked members."""


def _check(evidence: Evidence) -> Iterator[Finding]:
    rules = [rule for rule in evidence.before.rules if set(rule.columns) <= set(evidence.after.names)]
    if not rules:
        return
    columns = list(dict.fromkeys(name for rule in rules for name in rule.columns))
    parts = evidence.beside(columns, partial(_compared, rules, _words(evidence, columns)))
    for number, rule in enumerate(rules):
        newly = sum(part.newly[number] for part in parts)
        if isinstance(rule, HouseholdSum):
            newly = _broken_homes(rule, [homes for part in parts if (homes := part.homes[number]) is not None])
            if newly:
                yield _note(rule, f"{newly:,} households whose originals satisfy it")
        elif isinstance(rule, LinearRule) and rule.is_identity:
            after = sum(part.after[number] for part in parts)
            if after > rule.broken:
                yield _note(rule, f"{after:,} masked records, and in {rule.broken:,} originals")
        elif newly:
            yield Finding(
                f"'{rule}' does not hold in {newly:,} masked records whose originals satisfy it, which shows "
                "that they were changed: correct them in a last step, or mask the columns of the rule together"
            )


def _note(rule: DeclaredRule, where: str) -> Finding:
    return Finding(f"'{rule}' does not hold in {where}: tell users, or restore it in a last step", blocks=False)


def _words(evidence: Evidence, columns: Sequence[str]) -> Mapping[str, pl.Series]:
    """Categories translated back to original values, so that recoding breaks no rule."""
    frame = evidence.original.select(columns)
    return {
        name: frame[name].cast(pl.String).unique().drop_nulls()
        for name, dtype in frame.schema.items()
        if not dtype.is_numeric() and not dtype.is_temporal()
    }


def _compared(
    rules: Sequence[DeclaredRule], words: Mapping[str, pl.Series], original: pl.DataFrame, masked: pl.DataFrame
) -> _Broken:
    types = masked.schema
    recoded = [name for name in words if not types[name].is_numeric()]
    masked = masked.with_columns(
        pl.when(pl.col(name).cast(pl.String).is_in(words[name].implode())).then(pl.col(name)).alias(name)
        for name in recoded
    )
    newly, after, homes = [], [], []
    for rule in rules:
        if isinstance(rule, HouseholdSum):
            summed = all(types[name].is_numeric() for name in rule.numeric)
            newly.append(0)
            after.append(0)
            homes.append((rule.homes(original), rule.homes(masked)) if summed else None)
            continue
        breaks = rule.check(masked)
        newly.append(int((breaks & ~rule.check(original)).sum()))
        after.append(int(breaks.sum()))
        homes.append(None)
    return _Broken(newly, after, homes)


def _broken_homes(rule: HouseholdSum, parts: Sequence[tuple[pl.DataFrame, pl.DataFrame]]) -> int:
    """Households whose total was the sum of their members and no longer is."""
    if not parts:
        return 0
    sides = [rule.merged(part[side] for part in parts).filter(pl.col(TOTAL).is_not_null()) for side in (0, 1)]
    met = sides[0].filter(~rule.missed()).select(rule.household)
    return sides[1].filter(rule.missed()).join(met, on=rule.household, how="semi").height


DECLARED_RULES = Rule(
    "declared rules", "Every record that satisfied a declared rule before masking still does.", _check
)
