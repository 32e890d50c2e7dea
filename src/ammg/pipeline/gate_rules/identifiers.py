"""Rule: nothing that points at one person leaves."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from ammg.analyze.patterns.recognise import MOST_VALUES, recognise
from ammg.data.attribute import Role
from ammg.pipeline.gate_rules.evidence import Evidence
from ammg.pipeline.gate_rules.rule import Finding, Rule

_LEAST = 20  # texts that are all different say something from here on
_UNIQUE = 0.9


def _check(evidence: Evidence) -> Iterator[Finding]:
    for name in evidence.unchanged():
        if name in evidence.pseudonymous:
            continue
        if name in evidence.identifiers:
            yield Finding(
                f"'{name}' is an identifier and would leave unchanged: leave its role as it is, or replace it"
            )
            continue
        column = evidence.masked[name]
        pattern = recognise(column.drop_nulls().head(10 * MOST_VALUES).unique(maintain_order=True))
        if pattern is not None:
            yield Finding(
                f"'{name}' holds in each record {pattern.name} ({100 * pattern.share:.0f} % of the values looked at): "
                "give it the role identifier, or replace it"
            )
        elif evidence.after[name].role is Role.OTHER and _names_people(column):
            yield Finding(
                f"'{name}' is text that differs in nearly every record and has no role: give it the role identifier, "
                "or say that it is a key or confidential and mask it"
            )


def _names_people(column: pl.Series) -> bool:
    values = column.drop_nulls()
    return values.dtype == pl.String and len(values) >= _LEAST and values.n_unique() >= _UNIQUE * len(values)


IDENTIFIERS = Rule("identifiers", "No identifier leaves, whether it was declared or shows by its values.", _check)
