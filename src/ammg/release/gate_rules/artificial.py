"""Rule: no released column distinguishes artificial records from real ones."""

from __future__ import annotations

from collections.abc import Iterator

from ammg.data.encoding import ID
from ammg.release.gate_rules.evidence import Evidence, present
from ammg.release.gate_rules.rule import Finding, Rule

_CHANCE = 0.01  # of all artificial records lacking a value that real ones lack now and then, up to which it is none


def _check(evidence: Evidence) -> Iterator[Finding]:
    source = evidence.masking.source
    if not source.in_memory:
        return  # artificial records are made in memory
    frame = source.collect()
    simulated = frame[ID] >= evidence.facts.records
    if not simulated.any() or simulated.all():
        return
    for name in present(frame, evidence.released):
        empty = frame[name].is_null()
        chance = float(empty.filter(~simulated).to_numpy().mean()) ** int(simulated.sum())
        if empty.filter(simulated).all() and chance < _CHANCE:
            yield Finding(f"'{name}' has values only in real records, which reveals the artificial ones: drop it")


ARTIFICIAL = Rule("artificial records", "No released column has values in real records only.", _check)
