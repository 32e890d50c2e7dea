"""When two dictionaries mean the same value: the one comparison of categories between files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int32]


def match_categories(these: Sequence[Any], those: Sequence[Any]) -> Codes:
    """For each of `these` categories the position of the same one among `those`, -1 where there is none.

    Equal values are the same, whatever their type: 1, 1.0 and True. What is left over is compared as people write it:
    1 and the text "1" are the same, unless several of `those` are written alike ("1" and "01").
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
    """Both dictionaries in one, `these` first, and where each of `those` stands in it."""
    places = match_categories(those, these)
    new = np.flatnonzero(places < 0)
    places[new] = len(these) + np.arange(len(new), dtype=np.int32)
    return (*these, *(those[position] for position in new.tolist())), places


def written(value: Any) -> str:
    """A value as text: numbers alike whatever their type or form, dates as ISO 8601 has them."""
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
