"""The release gate: an audit that every release passes, or is forced through with a written reason.

The rules look at the files themselves, not at what the methods say they did. In memory they see all records; of a
stream they see its first records, which is enough for what holds in every record; declared identities are checked
in all records wherever they are.
"""

from __future__ import annotations

from ammg.data.clearance import Clearance
from ammg.data.masked import Masked
from ammg.data.release import Release
from ammg.pipeline.gate_rules.copies import COPIES
from ammg.pipeline.gate_rules.declared_identities import DECLARED_IDENTITIES
from ammg.pipeline.gate_rules.evidence import Evidence
from ammg.pipeline.gate_rules.identifiers import IDENTIFIERS
from ammg.pipeline.gate_rules.identities import IDENTITIES
from ammg.pipeline.gate_rules.idle_steps import IDLE_STEPS
from ammg.pipeline.gate_rules.metadata import METADATA
from ammg.pipeline.gate_rules.missing_codes import MISSING_CODES
from ammg.pipeline.gate_rules.order import ORDER
from ammg.pipeline.gate_rules.promised_k import PROMISED_K
from ammg.pipeline.gate_rules.rule import Rule
from ammg.pipeline.gate_rules.unmasked import UNMASKED

RULES: tuple[Rule, ...] = (
    UNMASKED,
    IDENTIFIERS,
    COPIES,
    IDENTITIES,
    DECLARED_IDENTITIES,
    IDLE_STEPS,
    ORDER,
    PROMISED_K,
    METADATA,
    MISSING_CODES,
)


def audit(masked: Masked, release: Release) -> Clearance:
    """Ask every rule; all reasons are reported together."""
    evidence = Evidence.of(masked, release)
    found = [finding for rule in RULES for finding in rule.check(evidence)]
    return Clearance(
        reasons=tuple(finding.message for finding in found if finding.blocks),
        notes=tuple(finding.message for finding in found if not finding.blocks),
    )
