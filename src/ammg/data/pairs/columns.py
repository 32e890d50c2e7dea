"""Columns of an original and a masked file in common terms: kinds, days, codes, and the link between records."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.microdata import Microdata
from ammg.errors import InputError

Numbers = NDArray[np.float64]
Codes = NDArray[np.int32]

_PIECE = 1 << 15


def with_kinds_as_in(original: Microdata, masked: Microdata) -> Microdata:
    """Give masked columns without any value the original's kind, which nulls alone do not show."""
    if original.streamed is not None or masked.streamed is not None:
        return masked
    empty = [name for name, dtype in masked.table.schema.items() if dtype == pl.Null and name in original.schema]
    if not empty:
        return masked
    table = masked.table.cast({name: original.table.schema[name] for name in empty})
    kinds = (masked.schema[name].replace(kind=original.schema[name].kind) for name in empty)
    return Microdata(table, masked.schema.replace(*kinds))


def with_dates_as_in(original: Microdata, masked: Microdata) -> Microdata:
    """The masked file with dates and times in the original's unit, so that their numbers are comparable."""
    if original.streamed is not None or masked.streamed is not None:
        return masked
    before, after = original.table.schema, masked.table.schema
    times = (pl.Date, pl.Datetime)
    other = [name for name in after if name in before and before[name] != after[name]]
    cast = {name: before[name] for name in other if before[name] in times and after[name] in times}
    return Microdata(masked.table.cast(cast), masked.schema) if cast else masked  # type: ignore[arg-type]


def days_of(data: Microdata, name: str) -> tuple[Any, ...]:
    """The distinct dates of a column in the order of their numbers, as dates."""
    return tuple(data.table[name].drop_nulls().unique().sort().to_list())


def differs(before: pl.Series, after: pl.Series) -> bool:
    """Whether any cell differs; equal numbers or texts of different types are the same."""
    if before.dtype != after.dtype:
        numbers = before.dtype.is_numeric() and after.dtype.is_numeric()
        common = pl.Float64() if numbers else pl.String()
        before, after = before.cast(common, strict=False), after.cast(common, strict=False)
    return not before.equals(after, null_equal=True)


def in_one_dictionary(
    before: Codes, categories: tuple[Any, ...], after: Codes, others: tuple[Any, ...]
) -> tuple[Codes, Codes, tuple[Any, ...]]:
    """Codes of two columns of numbers, which may have as many distinct values as records."""
    both, position = np.unique(np.array([*categories, *others], dtype=np.float64), return_inverse=True)
    first, second = (np.append(part, -1).astype(np.int32) for part in np.split(position, [len(categories)]))
    return first[before], second[after], tuple(both.tolist())


def checked_link(link: NDArray[np.int64], originals: int, masked: int) -> NDArray[np.int64]:
    """The link, checked: every masked record leads to a position in the original, or to none (-1)."""
    if link.shape != (masked,) or (masked and link.dtype.kind not in "iu"):
        raise InputError(
            f"A link needs one whole number for each of the {masked:,} masked records: correct it, or give None."
        )
    if masked and (link.min() < -1 or link.max() >= originals):
        raise InputError(f"A link leads to positions from 0 to {originals - 1:,}, or is -1 for a simulated record.")
    return link


def leads_in_order(link: NDArray[np.int64]) -> bool:
    """Whether each record leads to its own position; checked in pieces to avoid an array of the full length."""
    return all(
        np.array_equal(link[start : start + _PIECE], np.arange(start, min(start + _PIECE, len(link))))
        for start in range(0, len(link), _PIECE)
    )
