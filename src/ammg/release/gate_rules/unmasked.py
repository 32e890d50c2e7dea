"""Rule: something must have been masked."""

from __future__ import annotations

from collections.abc import Iterator

from ammg.data.attribute import Role
from ammg.release.gate_rules.evidence import Evidence
from ammg.release.gate_rules.rule import Finding, Rule


def _check(evidence: Evidence) -> Iterator[Finding]:
    """Dropping or renaming identifiers is what every release does; it masks nobody."""
    if evidence.kept < evidence.facts.records or not evidence.kept or not _sensitive(evidence):
        return  # artificial records mask nobody who stays as they were, and neither do weights that make room for them
    design = {*evidence.identifiers, *evidence.before.with_role(Role.WEIGHT)}
    kept = [name for name in evidence.before.names if name not in design]
    if not any(name in evidence.changed or name not in evidence.released for name in kept):
        yield Finding("no step masked anything: every key and confidential value would be released unchanged")


def _sensitive(evidence: Evidence) -> bool:
    """Without roles, every column may be sensitive."""
    roles = {attribute.role for attribute in evidence.before}
    return bool(roles & {Role.KEY, Role.CONFIDENTIAL}) or roles == {Role.OTHER}


UNMASKED = Rule("nothing masked", "At least one step changed a value or dropped a record.", _check)
