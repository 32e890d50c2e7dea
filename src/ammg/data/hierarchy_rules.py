"""Hierarchies in one line: `by widths 5, 10, 20`, built from the values of a column.

Project files and `data.with_hierarchies` accept such a line in place of a file or a mapping.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from itertools import chain
from typing import Any

import numpy as np

from ammg.data import hierarchy_builders as build
from ammg.data.hierarchy import Hierarchy
from ammg.errors import InputError, did_you_mean

_START = "by "
_MOST = 1_000_000

RULES = {
    "widths": "widths: 5, 10, 20 from 15 to 80",
    "cuts": "cuts: 18, 30, 65; 30, 65",
    "equal widths": "equal widths: 16, 8, 4",
    "equal counts": "equal counts: 8, 4, 2",
    "prefix": "prefix of codes: 3, 2, 1",
    "calendar": "calendar: month, quarter, year",
    "runs": "runs of neighbours: 2",
    "frequency": "most frequent: 8, 4",
}
"""The rules with an example each, for menus."""

_Builder = Callable[[Sequence[Any], Sequence[int], list[list[float]]], Hierarchy]


def is_rule(tree: object) -> bool:
    """Whether a hierarchy is given by a rule rather than by a file or by its levels."""
    return isinstance(tree, str) and tree.startswith(_START)


def built(rule: str, values: Sequence[Any], counts: Sequence[int]) -> Hierarchy:
    """Build a hierarchy of these values by a rule; `counts` are the records of each value.

    | rule | levels |
    |---|---|
    | `by widths 5, 10, 20` | intervals of these widths; `by widths 5, 10 from 15 to 80` with open ends |
    | `by cuts 18, 30, 65; 30, 65` | intervals between these bounds, one list per level |
    | `by equal widths 16, 8, 4, 2`, `by equal counts 8, 4, 2` | this many intervals |
    | `by prefix 3, 2, 1` | codes cut to this many characters |
    | `by calendar` | dates: month, quarter, year, decade |
    | `by runs 2` | this many neighbouring categories, then this many runs |
    | `by frequency 8, 4` | this many of the most frequent categories, and the rest together |
    """
    words = rule.removeprefix(_START).strip()
    name = next((known for known in ("widths", *_BUILDERS) if f"{words} ".startswith(f"{known} ")), None)
    if name is None:
        asked = " ".join(word for word in words.split() if word.isalpha())
        raise InputError(f"'{rule}' is not a rule for a hierarchy.{did_you_mean(asked, ('widths', *_BUILDERS))}")
    numbers, ends = _numbers(rule, words.removeprefix(name).strip())
    if name == "widths":
        if any(width <= 0 for width in numbers[0]):
            raise InputError(f"'{rule}': widths must be above 0.")
        return build.by_widths(_as_numbers("by widths", values), numbers[0] or (5, 10, 20), *ends)
    if ends != (None, None):
        raise InputError(f"'{rule}': only `by widths` can have open ends.")
    return _BUILDERS[name](values, counts, numbers)


def _of_cuts(values: Sequence[Any], counts: Sequence[int], numbers: list[list[float]]) -> Hierarchy:
    return build.by_cuts(_as_numbers("by cuts", values), numbers)


def _of_equal_widths(values: Sequence[Any], counts: Sequence[int], numbers: list[list[float]]) -> Hierarchy:
    return build.by_equal_widths(_as_numbers("by equal widths", values), _whole(numbers) or (16, 8, 4, 2))


def _of_equal_counts(values: Sequence[Any], counts: Sequence[int], numbers: list[list[float]]) -> Hierarchy:
    return build.by_equal_counts(_as_numbers("by equal counts", values), counts, _whole(numbers) or (16, 8, 4, 2))


def _of_prefix(values: Sequence[Any], counts: Sequence[int], numbers: list[list[float]]) -> Hierarchy:
    return build.by_prefix([str(value) for value in values], _whole(numbers) or None)


def _of_calendar(values: Sequence[Any], counts: Sequence[int], numbers: list[list[float]]) -> Hierarchy:
    strange = [value for value in values if not isinstance(value, date)]
    if strange:
        raise InputError(f"`by calendar` is for dates, and '{strange[0]}' is not a date: choose another rule.")
    if any(isinstance(value, datetime) for value in values):
        raise InputError("`by calendar` is for whole days, and these values have a time of day: reduce them to days.")
    return build.by_calendar(values)


def _of_runs(values: Sequence[Any], counts: Sequence[int], numbers: list[list[float]]) -> Hierarchy:
    return build.by_runs(values, (_whole(numbers) or [2])[0])


def _of_frequency(values: Sequence[Any], counts: Sequence[int], numbers: list[list[float]]) -> Hierarchy:
    return build.by_frequency(values, counts, _whole(numbers) or None)


_BUILDERS: dict[str, _Builder] = {
    "cuts": _of_cuts,
    "equal widths": _of_equal_widths,
    "equal counts": _of_equal_counts,
    "prefix": _of_prefix,
    "calendar": _of_calendar,
    "runs": _of_runs,
    "frequency": _of_frequency,
}


def _numbers(rule: str, text: str) -> tuple[list[list[float]], tuple[float | None, float | None]]:
    """Lists of numbers separated by semicolons, and the open ends after `from` and `to`."""
    ends: dict[str, float | None] = {"from": None, "to": None}
    try:
        for word in ("to", "from"):
            if f"{word} " in text:
                text, _, end = text.rpartition(f"{word} ")
                ends[word] = float(end)
        lists = [[float(part) for part in level.split(",") if part.strip()] for level in text.split(";")]
    except ValueError:
        raise InputError(f"'{rule}': write numbers separated by commas, such as `by widths 5, 10, 20`.") from None
    if not np.isfinite([*chain(*lists), *(end for end in ends.values() if end is not None)]).all():
        raise InputError(f"'{rule}': the numbers must be finite.")
    return lists, (ends["from"], ends["to"])


def _whole(numbers: list[list[float]]) -> list[int]:
    for number in numbers[0]:
        if not 1 <= number <= _MOST:
            raise InputError(f"{number:g} is not a number of classes, characters or categories: write 1 to {_MOST:,}.")
    return [int(number) for number in numbers[0]]


def _as_numbers(rule: str, values: Sequence[Any]) -> list[float]:
    try:
        found = [float(value) for value in values]
    except (TypeError, ValueError):
        strange = next(value for value in values if not isinstance(value, int | float))
        raise InputError(f"`{rule}` is for numbers, and '{strange}' is not a number: choose another rule.") from None
    return [number for number in found if np.isfinite(number)]
