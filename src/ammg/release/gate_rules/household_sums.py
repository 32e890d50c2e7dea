"""Rule: no household total reveals a masked member."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import polars as pl

from ammg.analyzer.relations import find_household_sums
from ammg.data.attribute import Level
from ammg.data.rules.household_sum import TOTAL, HouseholdSum
from ammg.release.gate_rules.evidence import Evidence, numeric
from ammg.release.gate_rules.rule import Finding, Rule

_LEAST = 0.5  # share of households whose total is the sum, from which that is no accident
_LEAST_OF_A_SAMPLE = 0.25  # the same where records are gone, and with them members of most households
_MASKED, _TOTALS = "__masked__", "__totals__"


def _check(evidence: Evidence) -> Iterator[Finding]:
    rules = [rule for rule in _rules(evidence) if {rule.total, rule.part} <= set(evidence.released)]
    if not rules:
        return
    columns = list(dict.fromkeys(name for rule in rules for name in rule.columns))
    if not set(columns) <= set(evidence.after.names):
        return
    parts = evidence.beside(columns, partial(_homes, rules))
    for number, rule in enumerate(rules):
        homes = _merged(rule, [part[number] for part in parts])
        alone = homes.filter(
            (pl.col(_MASKED) == 1) & (pl.col(_TOTALS) == 0) & pl.col(TOTAL).is_not_null() & ~rule.missed()
        ).height
        if alone:
            yield Finding(
                f"'{rule.total}' was not masked and is the household total of '{rule.part}', which gives it "
                f"back in {alone:,} households with one masked member, such as people who live alone: mask it "
                "as well"
            )


def _rules(evidence: Evidence) -> list[HouseholdSum]:
    """Those that are declared, and those that the first records show."""
    declared = [rule for rule in evidence.before.rules if isinstance(rule, HouseholdSum)]
    known = {(rule.total, rule.part) for rule in declared}
    household, before = evidence.before.household, evidence.before
    if household is None or household not in evidence.original.columns:
        return declared
    names = [n for n in numeric(evidence.original, evidence.released) if n in before and n != household]
    parts = [n for n in names if n in evidence.changed and before[n].level is Level.PERSON]
    totals = [n for n in names if n not in evidence.changed]
    least = _LEAST_OF_A_SAMPLE if evidence.dropped else _LEAST
    found = find_household_sums(evidence.original, household, totals, parts, least)
    return [*declared, *(rule for rule in found if (rule.total, rule.part) not in known)]


def _homes(rules: Sequence[HouseholdSum], original: pl.DataFrame, masked: pl.DataFrame) -> list[pl.DataFrame]:
    """For each rule, the households of a chunk: their sums, and how many parts and totals are not what they were."""
    out = []
    for rule in rules:
        changed = original.select(
            rule.household,
            **{_MASKED: _differs(original, masked, rule.part), _TOTALS: _differs(original, masked, rule.total)},
        )
        counts = changed.group_by(rule.household).agg(pl.col(_MASKED, _TOTALS).sum())
        out.append(rule.homes(original.select(rule.columns)).join(counts, on=rule.household, how="left"))
    return out


def _merged(rule: HouseholdSum, chunks: Sequence[pl.DataFrame]) -> pl.DataFrame:
    counts = pl.concat([chunk.select(rule.household, _MASKED, _TOTALS) for chunk in chunks])
    counts = counts.group_by(rule.household).agg(pl.col(_MASKED, _TOTALS).sum())
    return rule.merged(chunk.drop(_MASKED, _TOTALS) for chunk in chunks).join(counts, on=rule.household, how="left")


def _differs(original: pl.DataFrame, masked: pl.DataFrame, name: str) -> pl.Series:
    """1 where a cell changed."""
    after = masked[name]
    if not after.dtype.is_numeric():
        return pl.ones(len(after), dtype=pl.Int64, eager=True)
    return original[name].cast(pl.Float64).ne_missing(after.cast(pl.Float64)).cast(pl.Int64)


HOUSEHOLD_SUMS = Rule("household sums", "No masked number can be computed from a household total.", _check)
