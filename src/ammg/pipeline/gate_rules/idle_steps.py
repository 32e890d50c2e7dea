"""Rule: a step that was to change a column has changed it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import polars as pl

from ammg.data.disclosure import Groups, Recoding, Sampled, Suppression
from ammg.pipeline.gate_rules.evidence import Evidence, differs
from ammg.pipeline.gate_rules.rule import Finding, Rule

_ONLY_WHERE_NEEDED = (Groups, Suppression, Sampled)  # they promise a state rather than a change


def _check(evidence: Evidence) -> Iterator[Finding]:
    for number, step in enumerate(evidence.steps, 1):
        counted = step.records_before is not None and step.records_after is not None
        changed = step.changed if counted else evidence.changed
        for promise in step.disclosed:
            for name in () if isinstance(promise, _ONLY_WHERE_NEEDED) else promise.columns:
                if name in changed or not _varies(evidence, name) or _changed_later(evidence, name):
                    continue
                yield Finding(
                    f"step {number} ({step.method}) was to mask '{name}' and changed none of its cells: "
                    "correct its parameters, or leave the column out",
                    blocks=not isinstance(promise, Recoding),  # there may have been nothing to merge
                )


def _changed_later(evidence: Evidence, name: str) -> bool:
    """Whether a stream shows beyond its first records that the column was changed."""
    if evidence.records is None or name not in evidence.before or name not in evidence.after:
        return False
    return any(evidence.beside([name], partial(_changed, name)))


def _changed(name: str, original: pl.DataFrame, masked: pl.DataFrame) -> bool:
    return differs(original[name], masked[name])


def _varies(evidence: Evidence, name: str) -> bool:
    """A constant has nothing to change."""
    return name in evidence.original.columns and evidence.original[name].drop_nulls().n_unique() > 1


IDLE_STEPS = Rule("idle steps", "No step that was to mask a column has left every cell as it was.", _check)
