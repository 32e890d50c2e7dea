"""Rule: no declared identity reveals a masked value, in any record of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import STRUCTURAL
from ammg.data.rules.linear import LinearRule
from ammg.data.rules.values import Values
from ammg.kernels.residues import recoverable, residues
from ammg.release.gate_rules.evidence import Evidence
from ammg.release.gate_rules.rule import Finding, Rule

_SAME = 1e-9  # relative difference of a number that was only stored in another way


class _Compared(NamedTuple):
    """What one part of the records shows."""

    changed: dict[str, int]
    """Cells of each term that changed."""
    suppressed: list[dict[str, int]]
    """For each identity, cells that are missing now while all other members stand as they were."""


def _check(evidence: Evidence) -> Iterator[Finding]:
    identities = evidence.before.identities
    if not identities:
        return
    members = list(dict.fromkeys(name for identity in identities for name in identity.columns))
    there = [name for name in members if name in evidence.after]
    parts = evidence.beside(there, partial(_compared, identities))
    masked = {name for name in there for part in parts if part.changed[name]}
    masked = {name for name in masked if evidence.after[name].role not in STRUCTURAL}
    given_back = _given_back(identities, members, masked | (set(members) - set(evidence.released)))
    for name, formulas in given_back.items():
        yield _column_finding(name, formulas, name in evidence.released)
    for number, identity in enumerate(identities):
        if set(identity.columns) <= set(evidence.released):
            yield from _cell_findings(identity, [part.suppressed[number] for part in parts], given_back)


def _given_back(identities: Sequence[LinearRule], members: list[str], hidden: set[str]) -> dict[str, list[str]]:
    """Hidden members that the others determine, each with the identity that does it, or with all if one is too few."""
    system = np.array([[identity.coefficients.get(name, 0.0) for name in members] for identity in identities])
    found = recoverable(system, np.array([name in hidden for name in members]))
    alone = {
        name: [identity.text]
        for identity in identities
        for name in identity.columns
        if hidden.intersection(identity.columns) == {name}
    }
    together = [identity.text for identity in identities]
    return {name: alone.get(name, together) for name, is_found in zip(members, found, strict=True) if is_found}


def _column_finding(name: str, formulas: list[str], released: bool) -> Finding:
    listed = "', '".join(formulas)
    which = f"the declared identity '{listed}' gives" if len(formulas) == 1 else f"together '{listed}' give"
    if not released:
        return Finding(f"'{name}' is not released, but {which} it back from the released columns", blocks=False)
    what = "was masked alone" if len(formulas) == 1 else "was masked"
    return Finding(f"'{name}' {what}, but {which} it back: mask all terms in one step, or none")


def _cell_findings(identity: LinearRule, parts: list[dict[str, int]], told: dict[str, list[str]]) -> Iterator[Finding]:
    for name in identity.columns:
        cells = sum(part.get(name, 0) for part in parts)
        if cells and name not in told:
            yield Finding(
                f"'{name}' is suppressed in {cells:,} records where the declared identity '{identity}' gives "
                "it back: suppress a second term there"
            )


def _compared(identities: Sequence[LinearRule], original: pl.DataFrame, masked: pl.DataFrame) -> _Compared:
    before = {name: Values(original).numbers(name) for name in original.columns}
    after = {name: Values(masked).numbers(name) for name in masked.columns}
    changed = {name: _differs(before[name], after[name], masked[name].dtype) for name in masked.columns}
    return _Compared(
        {name: int(cells.sum()) for name, cells in changed.items()},
        [_suppressed(identity, before, after, changed) for identity in identities],
    )


def _suppressed(
    identity: LinearRule,
    before: dict[str, NDArray[np.float64]],
    after: dict[str, NDArray[np.float64]],
    changed: dict[str, NDArray[np.bool_]],
) -> dict[str, int]:
    if not before.keys() >= set(identity.columns):
        return {}
    values = np.stack([before[name] for name in identity.columns], axis=1)
    holds = residues(values, identity.weights, identity.constant) <= identity.tolerance
    alone = holds & (np.sum([changed[name] for name in identity.columns], axis=0) == 1)
    return {name: int((alone & changed[name] & np.isnan(after[name])).sum()) for name in identity.columns}


def _differs(x: NDArray[np.float64], z: NDArray[np.float64], dtype: pl.DataType) -> NDArray[np.bool_]:
    if not dtype.is_numeric():
        return np.ones(len(x), dtype=bool)
    apart = np.abs(x - z) > _SAME * np.maximum(np.abs(x), np.abs(z))
    return np.asarray(apart | (np.isnan(x) != np.isnan(z)))


DECLARED_IDENTITIES = Rule(
    "declared identities",
    "No masked number can be computed from a declared identity, in any record of the file.",
    _check,
)
