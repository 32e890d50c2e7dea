"""Hierarchies of unordered categories: at each level those are merged whose people are most alike."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.microdata import Microdata

Floats = NDArray[np.float64]

_BANDS = 10  # of equal counts that a number is cut into
_MOST = 60  # categories of an attribute that is merged, or compared by
_BETWEEN = (" | ", " / ", "; ", " + ")  # signs between the categories of a class: the first that is in none of them


def merge_alike(data: Microdata, name: str, others: Collection[str]) -> dict[str, list[str]]:
    """Levels for each category of a column, by likeness of its people in other columns; empty if there are too many.

    From level to level a third of the classes is merged with the class that is nearest, in pairs, by the increase of
    the chi-square distances within classes (Ward 1963). So classes stay of similar size, and rare ones go first.
    """
    column = data.table[name].cast(pl.String)
    dtype = data.table[name].dtype
    known = data.schema[name].categories or (dtype.categories.to_list() if isinstance(dtype, pl.Enum) else ())
    texts = [str(category) for category in known or column.drop_nulls().unique().sort()]
    if not 3 < len(texts) <= _MOST:
        return {}
    codes = column.replace_strict({text: code for code, text in enumerate(texts)}, default=-1, return_dtype=pl.Int64)
    own = codes.fill_null(-1).to_numpy()
    tables = [_profiles(own, len(texts), _banded(data, other)) for other in others if other != name]
    counts = np.bincount(own[own >= 0], minlength=len(texts)).astype(np.float64)
    return _levels(texts, counts, np.hstack([np.zeros((len(texts), 1)), *tables]))


def _levels(texts: list[str], counts: Floats, profiles: Floats) -> dict[str, list[str]]:
    """Merge until two classes are left; profiles are means over the people of a class.

    A class is named after all its categories, the most frequent first: the label is all that users of a release see.
    """
    between = next((sign for sign in _BETWEEN if not any(sign in text for text in texts)), _BETWEEN[0])
    classes = [[code] for code in range(len(texts))]
    sizes, places = counts.copy(), profiles.copy()
    rows: dict[str, list[str]] = {text: [] for text in texts}
    while len(classes) > 2:
        merged = _pairs(sizes, places, max(1, len(classes) // 3))
        gone = {second for _, second in merged}
        for first, second in merged:
            both = sizes[first] + sizes[second]
            if both:
                places[first] = (sizes[first] * places[first] + sizes[second] * places[second]) / both
            sizes[first] = both
            classes[first] = classes[first] + classes[second]
        kept = [place for place in range(len(classes)) if place not in gone]
        classes, sizes, places = [classes[place] for place in kept], sizes[kept], places[kept]
        for members in classes:
            label = between.join(texts[code] for code in sorted(members, key=lambda code: (-counts[code], code)))
            for code in members:
                rows[texts[code]].append(label)
    return {text: [*above, "*"] for text, above in rows.items()}


def _pairs(sizes: Floats, places: Floats, wanted: int) -> list[tuple[int, int]]:
    """The classes to merge, each with one other at most, those first that lose least by it."""
    apart = ((places[:, None, :] - places[None, :, :]) ** 2).sum(axis=2)
    both = np.add.outer(sizes, sizes)
    cost = np.multiply.outer(sizes, sizes) / np.maximum(both, 1.0) * (apart + 1e-9)
    first, second = np.triu_indices(len(sizes), 1)
    found: list[tuple[int, int]] = []
    taken: set[int] = set()
    for pair in np.argsort(cost[first, second], kind="stable").tolist():
        a, b = int(first[pair]), int(second[pair])
        if not taken & {a, b}:
            found.append((a, b))
            taken |= {a, b}
        if len(found) == wanted:
            break
    return found


def _profiles(own: NDArray[np.int64], size: int, other: NDArray[np.int64]) -> Floats:
    """The shares of the other column's values among the people of each category, scaled as chi-square does."""
    width = int(other.max(initial=-1)) + 1
    if not 1 < width <= _MOST:
        return np.zeros((size, 0))
    known = (own >= 0) & (other >= 0)
    table = np.bincount(own[known] * width + other[known], minlength=size * width).reshape(size, width)
    total = np.maximum(table.sum(axis=0), 1.0)
    share: Floats = table / np.maximum(table.sum(axis=1, keepdims=True), 1.0)
    scaled: Floats = share / np.sqrt(total / total.sum())
    return scaled


def _banded(data: Microdata, name: str) -> NDArray[np.int64]:
    """Codes of a column, numbers in bands of equal counts; -1 for missing."""
    values: Any = data.table[name]
    if data.schema[name].kind & Kind.NUMERIC and values.dtype.is_numeric():
        values = (values.rank("average") / max(1, values.count()) * _BANDS).ceil()
    else:
        values = values.cast(pl.String)
    codes = values.rank("dense").cast(pl.Int64) - 1
    found: NDArray[np.int64] = codes.fill_null(-1).to_numpy()
    return found
