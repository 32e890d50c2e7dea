"""What the levels of a hierarchy would show, before anybody masks with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from ammg.data.hierarchy import Hierarchy, value_text
from ammg.data.hierarchy_rules import built, is_rule
from ammg.errors import InputError


@dataclass(frozen=True)
class HierarchyPreview:
    """One entry per level, the values themselves first: each class with its records."""

    levels: tuple[dict[str, int], ...]
    problems: tuple[str, ...]


def preview_hierarchy(
    tree: str | Mapping[str, Sequence[str]], values: Sequence[tuple[str | float, int]]
) -> HierarchyPreview:
    """What a rule such as `by widths 5, 10`, or levels value by value, would make of values with so many records each.

    Raises:
        InputError: the hierarchy cannot be built for these values.
    """
    if not values:
        raise InputError("There are no values to show: name some, each with its number of records.")
    if not isinstance(tree, str):
        hierarchy = Hierarchy.from_mapping(tree)
    elif is_rule(tree):
        given = [_day(value) for value, _ in values] if "calendar" in tree else [value for value, _ in values]
        hierarchy = built(tree, given, [count for _, count in values])
    else:
        raise InputError(f"'{tree[:100]}' is not a rule for a hierarchy: write one such as `by widths 5, 10, 20`.")
    counts: dict[str, int] = {}
    for value, count in values:
        counts[value_text(value)] = counts.get(value_text(value), 0) + count
    problems = hierarchy.check(counts)
    known = {text: count for text, count in counts.items() if text in hierarchy.level(0)}
    return HierarchyPreview(
        tuple(hierarchy.preview(level, known) for level in range(hierarchy.height + 1)), tuple(problems)
    )


def _day(value: str | float) -> date:
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise InputError(
            f"`by calendar` is for dates, and '{value}' is not a date: write dates such as 2024-12-31."
        ) from None
