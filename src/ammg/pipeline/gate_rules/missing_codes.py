"""Rule: a suppressed value looks like any other missing value."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from ammg.data.attribute import Attribute
from ammg.data.texts import as_text
from ammg.pipeline.gate_rules.evidence import Evidence
from ammg.pipeline.gate_rules.rule import Finding, Rule


def _check(evidence: Evidence) -> Iterator[Finding]:
    for name in evidence.released:
        if name not in evidence.changed or name not in evidence.before:
            continue
        before, after = evidence.original[name], evidence.masked[name]
        suppressed = before.is_not_null() & after.is_null()
        if not suppressed.any():
            continue
        codes = _codes_shown(evidence.after[name], after)
        if codes and not before.null_count():
            yield Finding(
                f"empty cells of '{name}' are exactly the suppressed ones, because other missing values carry codes "
                f"({', '.join(codes)}): make all of them empty before masking"
            )
        hidden = before.filter(suppressed)
        if hidden.n_unique() == 1 and not before.null_count() and hidden[0] not in set(after.drop_nulls().unique()):
            yield Finding(
                f"every suppressed cell of '{name}' had the same value, and no other cell has it: whoever knows the "
                "possible values knows more than that it is missing",
                blocks=False,
            )


def _codes_shown(attribute: Attribute, column: pl.Series) -> list[str]:
    """The declared codes for missing values that some record carries."""
    shown = []
    for code in attribute.missing_codes:
        if isinstance(code, tuple):
            numbers = column.cast(pl.Float64, strict=False)
            carried = bool(((numbers >= float(code[0])) & (numbers <= float(code[1]))).any())
            label = f"{code[0]} to {code[1]}"
        else:
            carried = bool((as_text(column) == str(code)).any())
            label = str(code)
        if carried:
            shown.append(label)
    return shown


MISSING_CODES = Rule("missing codes", "Suppressed cells cannot be told from values that were missing before.", _check)
