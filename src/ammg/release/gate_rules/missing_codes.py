"""Rule: suppressed values look like other missing values."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import polars as pl

from ammg.data.attribute import Attribute
from ammg.data.texts import as_text
from ammg.release.gate_rules.evidence import Evidence, Facts, present
from ammg.release.gate_rules.rule import Finding, Rule


class _Gaps(NamedTuple):
    """What one part of a column shows."""

    missing: int
    """Values that were missing before masking."""
    hidden: list[Any]
    """Up to two different values that masking suppressed."""
    codes: list[str]
    """The declared codes for missing values that some record carries."""
    made: list[str]
    """Those that masking made of other values."""


def _look(facts: Facts, original: pl.DataFrame, masked: pl.DataFrame) -> dict[str, _Gaps]:
    found = {}
    for name in present(masked, facts.released):
        if name not in facts.before:
            continue
        before, after = original[name], masked[name]
        hidden = before.filter(before.is_not_null() & after.is_null())
        codes = _codes_shown(facts.after[name], after)
        made = _codes_shown(facts.after[name], after.filter(before.is_not_null())) if not _coded(facts, before) else []
        found[name] = _Gaps(before.null_count(), hidden.unique().head(2).to_list(), codes, made)
    return found


def _check(evidence: Evidence) -> Iterator[Finding]:
    parts = evidence.looked(MISSING_CODES.name)
    for name in evidence.released:
        if name not in evidence.changed or name not in evidence.before:
            continue
        gaps = [part[name] for part in parts]
        if made := list(dict.fromkeys(code for gap in gaps for code in gap.made)):
            yield Finding(
                f"masked values of '{name}' equal its code for missing values ({', '.join(made)}), so users "
                "will take them for missing: set bounds, or use another code for missing values",
                blocks=False,
            )
        hidden = [value for gap in gaps for value in gap.hidden]
        if not hidden or any(gap.missing for gap in gaps):
            continue
        if codes := list(dict.fromkeys(code for gap in gaps for code in gap.codes)):
            yield Finding(
                f"empty cells of '{name}' are exactly the suppressed ones, because other missing values have "
                f"codes ({', '.join(codes)}): make all of them empty before masking"
            )
        if all(value == hidden[0] for value in hidden) and not any(
            evidence.beside([name], partial(_shows, name, hidden[0]))
        ):
            yield Finding(
                f"all suppressed cells of '{name}' had the same value, and no other cell has it: anybody who "
                "knows the possible values can infer it",
                blocks=False,
            )


def _coded(facts: Facts, before: pl.Series) -> bool:
    """Whether originals carry codes."""
    return bool(_codes_shown(facts.before[before.name], before))


def _shows(name: str, value: Any, original: pl.DataFrame, masked: pl.DataFrame) -> bool:
    return value in set(masked[name].drop_nulls().unique())


def _codes_shown(attribute: Attribute, column: pl.Series) -> list[str]:
    """The declared codes for missing values that some record carries."""
    shown = []
    for code in attribute.missing_codes:
        if isinstance(code, tuple):
            numbers = as_text(column).cast(pl.Float64, strict=False)
            carried = bool(((numbers >= float(code[0])) & (numbers <= float(code[1]))).any())
            label = f"{code[0]} to {code[1]}"
        else:
            carried = bool((as_text(column) == str(code)).any())
            label = str(code)
        if carried:
            shown.append(label)
    return shown


MISSING_CODES = Rule("missing codes", "Suppressed cells look like values that were missing before.", _check, _look)
