"""A part of a pair: some originals and their masked records."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.condition import parsed, unfit
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.errors import ColumnError, NotDefined, did_you_mean


def part_of(pair: Pair, chosen: NDArray[np.bool_]) -> Pair:
    """The chosen originals beside their masked records; simulated records are left out.

    Raises:
        NotDefined: nothing is chosen, or the link between the files is unknown.
    """
    if not chosen.any():
        raise NotDefined("no record belongs to this part of the file")
    place = np.full(len(chosen) + 1, -1, dtype=np.int64)
    place[:-1][chosen] = np.arange(int(chosen.sum()))
    link = place[pair.link]
    kept = link >= 0
    original, masked = (_taken(data, rows) for data, rows in ((pair.original, chosen), (pair.masked, kept)))
    return Pair(original, masked, link[kept], pair.published)


def meeting(pair: Pair, where: str) -> NDArray[np.bool_]:
    """Which originals meet a condition."""
    condition = parsed(where)
    for name in condition.meta.root_names():
        if name not in pair.original.schema:
            raise ColumnError(f"Column '{name}' not found.{did_you_mean(name, pair.original.columns)}")
    try:
        return pair.meeting(condition, masked=False)
    except pl.exceptions.PolarsError as error:
        raise unfit(where, error) from None


def levels(pair: Pair, name: str) -> list[tuple[str, NDArray[np.bool_]]]:
    """The levels of an attribute in words, and which originals have them."""
    codes, categories = pair.codes(name, masked=False)
    return [(str(categories[code]), codes == code) for code in np.unique(codes[codes >= 0]).tolist()]


def _taken(data: Microdata, rows: NDArray[np.bool_]) -> Microdata:
    schema = data.schema.replace(
        *(a.replace(categories=data.dictionary(a.name)) for a in data.schema if a.is_categorical)
    )
    return Microdata(data.table.filter(pl.Series(rows)), schema)
