"""Rule: no masked term of an identity can be computed from the others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import polars as pl

from ammg.analyzer.relations import find_identities
from ammg.data.attribute import STRUCTURAL
from ammg.data.rules.linear import LinearRule
from ammg.release.gate_rules.evidence import Evidence, numeric, standardised
from ammg.release.gate_rules.rule import Finding, Rule

_LEFT = 0.01  # relative size of what the unmasked columns leave of a masked one, below which an identity is sought
_IMAGE = 0.9999  # correlation from which a column is the business of the rule of copies
_MOST_COLUMNS = 300


def _check(evidence: Evidence) -> Iterator[Finding]:
    names = [n for n in numeric(evidence.original, evidence.released) if n not in evidence.pseudonymous]
    masked = [name for name in names if name in evidence.changed and evidence.after[name].role not in STRUCTURAL]
    shown = [name for name in names if name in evidence.before and name not in evidence.changed][:_MOST_COLUMNS]
    if not masked or len(shown) < 2:
        return
    original, _ = evidence.sample()
    declared = [set(identity.columns) for identity in evidence.before.identities]  # they have a rule of their own
    for name, others in _suspects(original, masked, shown):
        identity = _shortest(find_identities(original, [*others, name]), name)
        if identity is not None and set(identity.columns) not in declared:
            yield Finding(
                f"'{name}' was masked alone, but {identity.solved(name)} gives it back: mask all terms of the "
                "sum in one step, or none"
            )


def _suspects(original: pl.DataFrame, masked: list[str], shown: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Masked columns of which least squares on unmasked ones leave nothing, with those that are no image of them."""
    left, right = standardised(original, masked), standardised(original, shown)
    within, between = right.T @ right, left.T @ right
    for i, name in enumerate(masked):
        kept = [j for j in range(len(shown)) if abs(between[i, j]) < _IMAGE]
        if len(kept) < 2 or not left[:, i].any():
            continue
        correlations = between[i, kept]
        explained = correlations @ np.linalg.pinv(within[np.ix_(kept, kept)], hermitian=True) @ correlations
        if 1 - explained < _LEFT**2:
            yield name, [shown[j] for j in kept]


def _shortest(identities: list[LinearRule], name: str) -> LinearRule | None:
    with_it = [identity for identity in identities if name in identity.columns]
    return min(with_it, key=lambda identity: len(identity.columns), default=None)


IDENTITIES = Rule("identities", "No masked number can be computed from unmasked ones.", _check)
