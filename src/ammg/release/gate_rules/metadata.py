"""Rule: labels and dictionaries do not mention values that masking removed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import polars as pl

from ammg.data.attribute import Attribute, Role
from ammg.data.texts import as_text
from ammg.release.gate_rules.evidence import Evidence, Facts, present
from ammg.release.gate_rules.rule import Finding, Rule

_SHORTEST = 4  # shorter identifiers occur in any text by chance
_PLAIN_FORMAT = re.compile(r"%?-?0?[a-z]*\d*(\.\d*)?[a-z]*", re.IGNORECASE)
"""Display formats that hold a type, a width and decimals and no words: %10.0g, F8.2, DATE11, %td."""


def _look(facts: Facts, original: pl.DataFrame, masked: pl.DataFrame) -> dict[str, str]:
    """For each identifier a value that some label quotes."""
    text = "\n".join(_texts(facts)).lower()
    names = present(original, facts.before.with_role(Role.IDENTIFIER)) if text else []
    quoted = {name: _quoted(original[name], text) for name in names}
    return {name: value for name, value in quoted.items() if value is not None}


def _check(evidence: Evidence) -> Iterator[Finding]:
    attributes = list(evidence.release.schema) if evidence.release is not None else []
    for attribute in attributes:
        gone = _gone(evidence, attribute)
        if gone:
            listed = ", ".join(f"'{value}'" for value in gone[:3])
            yield Finding(
                f"labels or categories of '{attribute.name}' still name {listed}, which masking removed: remove them"
            )
    parts = evidence.looked(METADATA.name)
    for name in evidence.identifiers:
        if quoted := [part[name] for part in parts if name in part]:
            yield Finding(f"a label quotes '{min(quoted)}', a value of the identifier '{name}': rewrite the label")


def _gone(evidence: Evidence, attribute: Attribute) -> list[str]:
    """Values that metadata name, that some original record of a masked column has, and no released one.

    The metadata of a stream are made when it is written, from the values that were written.
    """
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


def _texts(facts: Facts) -> Iterator[str]:
    if facts.after.label:
        yield facts.after.label
    for name in facts.released:
        attribute = facts.after[name]
        form = "" if _PLAIN_FORMAT.fullmatch(attribute.display_format) else attribute.display_format
        yield from filter(None, (attribute.label, form, *map(str, attribute.value_labels.values())))


def _quoted(identifiers: pl.Series, text: str) -> str | None:
    values = as_text(identifiers.drop_nulls()).str.strip_chars().str.to_lowercase()
    if identifiers.dtype.is_float():  # 10.0 is the number 10, as short as it looks
        values = values.str.strip_suffix(".0")
    values = values.filter(values.str.len_chars() >= _SHORTEST).unique()
    if not len(values):
        return None
    found = values.to_frame("value").filter(pl.lit(text).str.contains(pl.col("value"), literal=True))
    return str(found["value"].min()) if len(found) else None


METADATA = Rule(
    "metadata", "Labels, dictionaries and notes of a column do not mention values that masking removed.", _check, _look
)
