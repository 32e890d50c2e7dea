"""Hierarchies built from the values of a column by a rule.

Every builder takes the values and returns their generalisations at increasingly coarse levels; the last level is `*`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Any

import numpy as np

from ammg.data.hierarchy import Hierarchy
from ammg.errors import InputError

ALL = "*"


def by_widths(
    values: Sequence[float], widths: Sequence[float] = (5, 10, 20), low: float | None = None, high: float | None = None
) -> Hierarchy:
    """Numbers in intervals of round widths, each a multiple of the one before; open ends below `low` and from `high`.

    Whole numbers are called `30-34`, others `[0.5, 1)`.
    """
    numbers = _numbers(values)
    for finer, coarser in pairwise(widths):
        if not coarser > finer or abs(coarser / finer - round(coarser / finer)) > 1e-9:
            raise InputError(
                f"Width {coarser:g} is not a multiple of {finer:g}: each width must be a multiple of the one before."
            )
    whole = all(float(number).is_integer() for number in [*numbers, *widths])
    return _built(
        numbers,
        [lambda x, width=width: _interval(np.floor(x / width) * width, width, whole, low, high, x) for width in widths],
    )


def by_cuts(values: Sequence[float], levels: Sequence[Sequence[float]]) -> Hierarchy:
    """Numbers in intervals between given cut points; one list of cuts per level, each a subset of the one before.

    A cut belongs to the interval above it; the first and the last interval are open.
    """
    bounds = [np.unique(np.asarray(cuts, np.float64)) for cuts in levels]
    for finer, coarser in pairwise(bounds):
        lacking = np.setdiff1d(coarser, finer)
        if lacking.size:
            raise InputError(f"Cut {lacking[0]:g} is missing at the finer level: a level may only drop cuts.")
    return _built(_numbers(values), [lambda x, cuts=cuts: _between(x, cuts) for cuts in bounds])


def by_equal_widths(values: Sequence[float], groups: Sequence[int] = (16, 8, 4, 2)) -> Hierarchy:
    """Numbers in equally wide intervals of their range; each number of intervals must divide the one before."""
    numbers = _numbers(values)
    low, high = min(numbers), max(numbers)
    return by_cuts(numbers, [np.linspace(low, high, count + 1)[1:-1].tolist() for count in _dividing(groups)])


def by_equal_counts(values: Sequence[float], counts: Sequence[int], groups: Sequence[int] = (16, 8, 4, 2)) -> Hierarchy:
    """Numbers in intervals with about the same number of records; `counts` are the records of each value."""
    order = np.argsort(np.asarray(values, np.float64), kind="stable")
    numbers = np.asarray(values, np.float64)[order]
    upto = np.cumsum(np.asarray(counts, np.float64)[order])
    finest, *coarser = _dividing(groups)
    places = np.searchsorted(upto, upto[-1] * np.arange(1, finest) / finest, side="left")
    cuts = [numbers[min(place + 1, numbers.size - 1)] for place in places.tolist()]
    levels = [cuts, *(cuts[finest // count - 1 :: finest // count] for count in coarser)]
    return by_cuts(numbers.tolist(), levels)


def by_prefix(values: Sequence[str], lengths: Sequence[int] | None = None) -> Hierarchy:
    """Codes cut to fewer and fewer leading characters, the rest shown as `*`: postcodes, ISCO, NACE, ICD."""
    texts = [str(value) for value in values]
    longest = max(map(len, texts), default=1)
    kept = list(range(longest - 1, 0, -1)) if lengths is None else list(lengths)
    if any(not length > 0 for length in kept) or sorted(kept, reverse=True) != kept:
        raise InputError(f"Prefix lengths must decrease from level to level and be above 0; they are {kept}.")
    rows = [[text, *(text[:length] + ALL * max(0, len(text) - length) for length in kept), ALL] for text in texts]
    return Hierarchy.from_rows(rows)


def by_calendar(values: Sequence[date]) -> Hierarchy:
    """Days by month, quarter, year and decade."""
    rows = [
        (
            day.isoformat(),
            f"{day.year}-{day.month:02}",
            f"{day.year} Q{(day.month - 1) // 3 + 1}",
            str(day.year),
            f"{day.year // 10}0s",
            ALL,
        )
        for day in values
    ]
    return Hierarchy.from_rows(rows)


def by_runs(values: Sequence[Any], size: int = 2) -> Hierarchy:
    """Ordered categories in runs of `size` neighbours, then runs of `size` runs, until one is left."""
    if size < 2:
        raise InputError(f"A run needs at least two categories; size is {size}.")
    texts = [str(value) for value in values]
    rows = [[text] for text in texts]
    width = size
    while width < len(texts):
        for place, row in enumerate(rows):
            first = place // width * width
            last = min(first + width, len(texts)) - 1
            row.append(texts[first] if first == last else f"{texts[first]} to {texts[last]}")
        width *= size
    return Hierarchy.from_rows([*row, ALL] for row in rows)


def by_frequency(values: Sequence[Any], counts: Sequence[int], keep: Sequence[int] | None = None) -> Hierarchy:
    """Unordered categories: each level keeps fewer of the most frequent ones and merges the rest into `other`."""
    texts = [str(value) for value in values]
    order = sorted(range(len(texts)), key=lambda place: (-counts[place], place))
    rank = {texts[place]: number for number, place in enumerate(order)}
    kept = [len(texts) // 2, len(texts) // 4] if keep is None else list(keep)
    kept = [count for count in dict.fromkeys(kept) if 0 < count < len(texts) - 1]
    rows = [[text, *(text if rank[text] < count else "other" for count in kept), ALL] for text in texts]
    return Hierarchy.from_rows(rows)


def by_tree(tree: Mapping[str, Any]) -> Hierarchy:
    """A nested mapping such as `{West: {Ohio: [Akron, Dayton]}}`, leaves last; all branches are equally deep."""
    rows = [[*reversed(path)] for path in _paths(tree)]
    return Hierarchy.from_rows([*row, ALL] for row in rows)


def _paths(tree: Any) -> list[tuple[str, ...]]:
    if isinstance(tree, Mapping):
        return [(str(name), *path) for name, branch in tree.items() for path in _paths(branch)]
    leaves = tree if isinstance(tree, list | tuple) else [tree]
    return [(str(leaf),) for leaf in leaves]


def _numbers(values: Sequence[float]) -> list[float]:
    numbers = sorted({float(value) for value in values})
    if not numbers or not np.all(np.isfinite(numbers)):
        raise InputError("A hierarchy of numbers needs at least one number, and all must be finite.")
    return numbers


def _dividing(groups: Sequence[int]) -> list[int]:
    for finer, coarser in pairwise(groups):
        if not 1 < coarser < finer or finer % coarser:
            raise InputError(f"{coarser} intervals cannot be made of {finer}: each number must divide the one before.")
    return list(groups)


def _interval(start: float, width: float, whole: bool, low: float | None, high: float | None, x: float) -> str:
    if low is not None and x < low:
        return f"< {low:g}"
    if high is not None and x >= high:
        return f"≥ {high:g}"
    if low is not None:
        start = max(start, low)
    stop = np.floor(x / width) * width + width
    stop = stop if high is None else min(stop, high)
    if whole and width == 1:
        return f"{start:g}"
    return f"{start:g}-{stop - 1:g}" if whole else f"[{start:g}, {stop:g})"


def _between(x: float, cuts: Any) -> str:
    place = int(np.searchsorted(cuts, x, side="right"))
    if not len(cuts):
        return ALL
    if place == 0:
        return f"< {cuts[0]:g}"
    return f"≥ {cuts[-1]:g}" if place == len(cuts) else f"[{cuts[place - 1]:g}, {cuts[place]:g})"


def _built(numbers: Sequence[float], levels: Sequence[Any]) -> Hierarchy:
    rows = []
    for number in numbers:
        text = str(int(number)) if number.is_integer() else repr(number)
        rows.append([text, *(level(number) for level in levels), ALL])
    return Hierarchy.from_rows(rows)
