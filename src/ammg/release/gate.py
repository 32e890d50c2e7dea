"""The release checks: every release passes them, or is forced with a recorded reason.

The rules look at the files themselves, not at what the methods claim, and at all records, chunk by chunk for streams.
Only relations between columns are searched for in a sample of the whole file.
"""

from __future__ import annotations

from ammg.release.clearance import Clearance
from ammg.release.gate_rules.artificial import ARTIFICIAL
from ammg.release.gate_rules.copies import COPIES
from ammg.release.gate_rules.declared_identities import DECLARED_IDENTITIES
from ammg.release.gate_rules.declared_rules import DECLARED_RULES
from ammg.release.gate_rules.evidence import Evidence
from ammg.release.gate_rules.household_sums import HOUSEHOLD_SUMS
from ammg.release.gate_rules.identifiers import IDENTIFIERS
from ammg.release.gate_rules.identities import IDENTITIES
from ammg.release.gate_rules.idle_steps import IDLE_STEPS
from ammg.release.gate_rules.left_cells import LEFT_CELLS
from ammg.release.gate_rules.metadata import METADATA
from ammg.release.gate_rules.missing_codes import MISSING_CODES
from ammg.release.gate_rules.order import ORDER
from ammg.release.gate_rules.promised_k import PROMISED_K
from ammg.release.gate_rules.rule import Rule
from ammg.release.gate_rules.telling_columns import TELLING_COLUMNS
from ammg.release.gate_rules.unmasked import UNMASKED
from ammg.release.masking import Masking
from ammg.release.release import Release

RULES: tuple[Rule, ...] = (
    UNMASKED,
    IDENTIFIERS,
    COPIES,
    TELLING_COLUMNS,
    IDENTITIES,
    DECLARED_IDENTITIES,
    HOUSEHOLD_SUMS,
    DECLARED_RULES,
    IDLE_STEPS,
    LEFT_CELLS,
    ORDER,
    PROMISED_K,
    METADATA,
    MISSING_CODES,
    ARTIFICIAL,
)


def audit(masked: Masking, release: Release) -> Clearance:
    """Run every rule; all problems are reported together."""
    evidence = Evidence.of(masked, release, {rule.name: rule.look for rule in RULES if rule.look is not None})
    found = [finding for rule in RULES for finding in rule.check(evidence)]
    return Clearance(
        reasons=tuple(finding.message for finding in found if finding.blocks),
        notes=tuple(finding.message for finding in found if not finding.blocks),
    )
