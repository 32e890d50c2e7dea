"""Matching of categories between two files: when two values mean the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]


def match_categories(these: Sequence[Any], those: Sequence[Any]) -> Codes:
    """The position among `those` of each of `these` categories, -1 where there is none.

    Equal values match whatever their type: 1, 1.0 and True. The rest are compared as text: 1 matches "1", unless
    several of `those` are the same number in different spellings ("1" and "01").
    """
    place = {value: position for position, value in reversed(list(enumerate(those)))}
    found = np.array([place.get(value, -1) for value in these], dtype=np.int32)
    taken = set(found[found >= 0].tolist())
    rest = [position for position in range(len(those)) if position not in taken]
    if not rest or (found >= 0).all():
        return found
    texts = [written(those[position]) for position in rest]
    alone = {text for text, count in Counter(texts).items() if count == 1}
    spelt = {text: position for text, position in zip(texts, rest, strict=True) if text in alone}
    for position in np.flatnonzero(found < 0).tolist():
        if these[position] is not None:
            found[position] = spelt.get(written(these[position]), -1)
    return found


def joined(these: Sequence[Any], those: Sequence[Any]) -> tuple[tuple[Any, ...], Codes]:
    """Merge two dictionaries, `these` first; also returns the position of each of `those` in the result."""
    places = match_categories(those, these)
    new = np.flatnonzero(places < 0)
    places[new] = len(these) + np.arange(len(new), dtype=np.int32)
    return (*these, *(those[position] for position in new.tolist())), places


def written(value: Any) -> str:
    """A value as text: a number has one text whatever its type or form, and dates are in ISO 8601."""
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, date):
        return value.isoformat()
    text = str(value).strip()
    if text.lower() in ("true", "false"):
        return text.lower()
    try:
        return repr(float(text) + 0.0)  # -0.0 + 0.0 is 0.0
    except ValueError:
        return text
