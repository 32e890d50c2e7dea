"""Value labels of recoded attributes: classes named after codes are labelled by the labels of those codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ammg.data.attribute import Attribute
from ammg.data.dictionary import written
from ammg.data.hierarchy import value_text
from ammg.data.published import Published, Recoding, ValueSets
from ammg.data.schema import Schema

_LISTS = (" | ", " / ", "; ", " + ")  # signs between the codes in the name of a class: `0 | 2 | 4`
_RANGES = (" to ", "-")


def with_class_labels(before: Schema, after: Schema, published: Iterable[Published]) -> Schema:
    """The attributes after a step, with labels for the classes into which it merged labelled values.

    A value that was not merged keeps its label. A class whose name consists of codes is labelled by the labels of the
    codes, and one with a name in words has no label. Labels of missing codes stay.
    """
    changed = []
    for told in published:
        for name in told.columns:
            old, new = before.get(name), after.get(name)
            if not isinstance(told, Recoding | ValueSets) or old is None or new is None:
                continue
            labels = _of_values(old)
            if labels and new.is_categorical and new.categories != old.categories:
                missing = {value: label for value, label in old.value_labels.items() if value not in labels}
                changed.append(new.replace(value_labels={**missing, **_of_classes(told, labels)}))
    return after.replace(*changed)


def _of_values(attribute: Attribute) -> dict[Any, str]:
    """The labels without those of missing codes."""
    single = {code for code in attribute.missing_codes if not isinstance(code, tuple)}
    ranges = [code for code in attribute.missing_codes if isinstance(code, tuple)]

    def is_missing(value: Any) -> bool:
        return value in single or (not isinstance(value, str) and any(low <= value <= high for low, high in ranges))

    return {value: label for value, label in attribute.value_labels.items() if not is_missing(value)}


def _of_classes(told: Recoding | ValueSets, labels: Mapping[Any, str]) -> dict[str, str]:
    spelt = {written(value): value for value in labels}
    found = {name: _label(str(name), members, labels, spelt) for name, members in _members(told).items()}
    return {name: label for name, label in found.items() if label}


def _members(told: Recoding | ValueSets) -> dict[Any, list[Any]]:
    """The values of each class; for an interval its ends."""
    if isinstance(told, Recoding):
        members: dict[Any, list[Any]] = {}
        for value, code in zip(told.before, told.codes, strict=True):
            if code >= 0:
                members.setdefault(told.after[code], []).append(value)
        return members
    if told.is_numeric:
        ends = zip(told.lower, told.upper, strict=True)
        return {name: list(dict.fromkeys(both)) for name, both in zip(told.after, ends, strict=True)}
    return {name: [told.before[code] for code in codes] for name, codes in zip(told.after, told.members, strict=True)}


def _label(name: str, members: Sequence[Any], labels: Mapping[Any, str], spelt: Mapping[str, Any]) -> str:
    """The label of a class; empty if its name is in words, or if its codes have no labels."""
    own = {written(value): value for value in members} | {str(value): value for value in members}

    def find(text: str) -> Any:
        spelling = written(text)
        return own.get(text, own.get(spelling, spelt.get(spelling)))

    if find(name) is not None or re.fullmatch(r"-?\d+", name):
        return _joined(members, _LISTS[0], labels)
    for sign in (*_LISTS, *_RANGES):
        values = [find(text) for text in name.split(sign)]
        if None in values or len(values) == 1:
            continue
        if sign in _LISTS:
            return _joined(values, sign, labels) if set(members) <= set(values) else ""
        return _joined(values, " to ", labels) if all(value in labels for value in values) else ""
    return ""


def _joined(values: Sequence[Any], sign: str, labels: Mapping[Any, str]) -> str:
    """The labels of values, with values that have none as they are."""
    if not any(value in labels for value in values):
        return ""
    return sign.join(labels.get(value, value_text(value)) for value in values)
