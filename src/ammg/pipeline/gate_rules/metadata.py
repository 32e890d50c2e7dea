"""Rule: labels and dictionaries say nothing about values that masking took out."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from ammg.data.attribute import Attribute
from ammg.data.texts import as_text
from ammg.pipeline.gate_rules.evidence import Evidence
from ammg.pipeline.gate_rules.rule import Finding, Rule

_SHORTEST = 4  # shorter identifiers occur in any text by chance


def _check(evidence: Evidence) -> Iterator[Finding]:
    attributes = list(evidence.release.schema) if evidence.release is not None else []
    for attribute in attributes:
        gone = _gone(evidence, attribute)
        if gone:
            listed = ", ".join(f"'{value}'" for value in gone[:3])
            yield Finding(
                f"labels or categories of '{attribute.name}' still name {listed}, which masking took out: remove them"
            )
    text = "\n".join(_texts(evidence)).lower()
    for name in evidence.identifiers if text else []:
        quoted = _quoted(evidence.original[name], text)
        if quoted is not None:
            yield Finding(f"a label quotes '{quoted}', a value of the identifier '{name}': rewrite the label")


def _gone(evidence: Evidence, attribute: Attribute) -> list[str]:
    """Values that metadata name, that some original record of a masked column has, and no released one."""
    assert evidence.release is not None
    name = attribute.name
    if name not in evidence.changed or name not in evidence.before:
        return []
    released = evidence.release.table[name]
    named = [*attribute.value_labels, *(attribute.categories or ())]
    if isinstance(released.dtype, pl.Enum):
        named += released.dtype.categories.to_list()
    if not named:
        return []
    missing = {str(code) for code in attribute.missing_codes}
    there = set(as_text(released.unique()).drop_nulls().to_list())
    before = set(as_text(evidence.original[name].unique()).drop_nulls().to_list())
    suspects = dict.fromkeys(str(value) for value in named)
    return [value for value in suspects if value in before and value not in there and value not in missing]


def _texts(evidence: Evidence) -> Iterator[str]:
    for name in evidence.released:
        attribute = evidence.after[name]
        yield from filter(None, (attribute.label, attribute.display_format, *map(str, attribute.value_labels.values())))


def _quoted(identifiers: pl.Series, text: str) -> str | None:
    values = as_text(identifiers.drop_nulls()).str.strip_chars().str.to_lowercase()
    values = values.filter(values.str.len_chars() >= _SHORTEST).unique()
    if not len(values):
        return None
    found = values.to_frame("value").filter(pl.lit(text).str.contains(pl.col("value"), literal=True))
    return str(found["value"].min()) if len(found) else None


METADATA = Rule(
    "metadata", "Labels, dictionaries and notes of a column do not show values that masking took out.", _check
)
