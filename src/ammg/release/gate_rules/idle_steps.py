"""Rule: every step has changed the columns that it masks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from ammg.data.published import Groups, Recoding, Sampled, Suppression
from ammg.release.gate_rules.evidence import Evidence, Facts, present
from ammg.release.gate_rules.rule import Finding, Rule

_ONLY_WHERE_NEEDED = (Groups, Suppression, Sampled)  # they promise a state rather than a change


def _look(facts: Facts, original: pl.DataFrame, masked: pl.DataFrame) -> dict[str, list[Any]]:
    """Up to two different values of each column."""
    found = {}
    for name in present(original, facts.before.names):
        values = original[name].drop_nulls()
        if values.dtype == pl.Binary:  # polars does not compare it with a single value
            values = values.unique(maintain_order=True)
            other = values[1:]
        else:
            other = values.filter(values != values[0]) if len(values) and not values.dtype.is_nested() else values
        found[name] = [*values.head(1), *other.head(1)]
    return found


def _check(evidence: Evidence) -> Iterator[Finding]:
    for number, step in enumerate(evidence.steps, 1):
        changed = step.changed if evidence.release is not None else evidence.changed
        for promise in step.published:
            for name in () if isinstance(promise, _ONLY_WHERE_NEEDED) else promise.columns:
                if name in changed or not _varies(evidence, name):
                    continue
                yield Finding(
                    f"step {number} ({step.method}) should mask '{name}' but changed none of its cells: correct "
                    "its parameters, or leave the column out",
                    blocks=not isinstance(promise, Recoding),  # there may have been nothing to merge
                )


def _varies(evidence: Evidence, name: str) -> bool:
    """A constant has nothing to change."""
    values = [value for part in evidence.looked(IDLE_STEPS.name) for value in part.get(name, [])]
    return any(value != values[0] for value in values[1:])


IDLE_STEPS = Rule("idle steps", "No step left every cell of a column that it masks unchanged.", _check, _look)
