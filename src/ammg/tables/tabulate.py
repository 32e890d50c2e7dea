"""Make a table from microdata."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Kind, Role
from ammg.data.encoding import ID
from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.data.texts import as_text
from ammg.draws import Draws, Secret
from ammg.errors import InputError
from ammg.tables.layout import MISSING, Layout, unused
from ammg.tables.moved_cells import with_largest_margins, with_margins
from ammg.tables.table import COUNT, WEIGHTED, Contributors, Table

Floats = NDArray[np.float64]
Names = str | Iterable[str]

KEY_BITS = 32
"""Bits of a record key, so that the keys of four billion records add up without overflow."""
LARGEST = 3
"""Contributions of each cell that are kept for dominance rules."""
_RECORDS, _WEIGHT, _SUM, _SIZE, _TOP, _KEY = "__records__", "__weight__", "__sum__", "__size__", "__top__", "__key__"


def tabulate(
    data: Microdata | Any,
    rows: Names,
    columns: Names = (),
    value: str | None = None,
    weight: bool | str = True,
    *,
    secret: Secret | bytes | str | int | None = None,
) -> Table:
    """Count records, or sum a column, by some attributes, with all margins.

    `data` are microdata, a masked file or a frame.
    `weight` says whether to use the sampling weight if there is one, or names a column. Missing values form a category
    of their own. With a `secret`, records get the keys that the cell-key method needs; they are the same in every table
    of the file.
    """
    data = _records(data)
    down, across = _names(rows), _names(columns)
    _check(data, (*down, *across), value)
    if not down and not across:
        raise InputError("A table needs at least one attribute: name its rows.")
    weighted = _weight(data, weight)
    draws = None if secret is None else Draws(Secret.of(secret)).at("record keys")
    grouped = _grouped(data, _Question((*down, *across), value, weighted), draws)
    layout = Layout(down, across, {name: _labels(data, name, grouped[name]) for name in (*down, *across)})
    _refuse_large(layout, draws is not None)
    return _table(data, layout, grouped, value, weighted)


def _records(data: Any) -> Microdata:
    """Microdata from microdata, a masked file or a frame."""
    if isinstance(data, Microdata):
        return data
    table, schema = getattr(data, "table", None), getattr(data, "schema", None)
    if isinstance(table, pl.DataFrame) and isinstance(schema, Schema):
        return Microdata(table, schema)
    return Microdata(data)


class _Question(NamedTuple):
    """The table to make."""

    names: tuple[str, ...]
    value: str | None
    weight: str | None

    @property
    def used(self) -> list[str]:
        return list(
            dict.fromkeys((*self.names, *([self.value] if self.value else []), *([self.weight] if self.weight else [])))
        )

    def asked(self, keys: bool) -> list[pl.Expr]:
        """The sums over the records of a cell."""
        weight = pl.col(self.weight).cast(pl.Float64) if self.weight else pl.lit(1.0)
        asked = [pl.len().cast(pl.Int64).alias(_RECORDS)]
        if self.weight and not self.value:
            asked.append(weight.sum().alias(_WEIGHT))
        if self.value:
            part = pl.col(self.value).cast(pl.Float64) * weight
            asked += [
                part.sum().alias(_SUM),
                part.abs().sum().alias(_SIZE),
                part.abs().top_k(LARGEST).alias(_TOP),
            ]
        return [*asked, pl.col(_KEY).sum()] if keys else asked

    def added(self, keys: bool) -> list[pl.Expr]:
        """The same sums over the cells of several chunks."""
        sums = [
            _RECORDS,
            *([_SUM, _SIZE] if self.value else []),
            *([_WEIGHT] if self.weight and not self.value else []),
        ]
        more = [pl.col(_TOP).explode().top_k(LARGEST)] if self.value else []
        return [pl.col(*sums, *([_KEY] if keys else [])).sum(), *more]


def _grouped(data: Microdata, question: _Question, draws: Draws | None) -> pl.DataFrame:
    """One row per occurring combination."""
    keys = draws is not None

    def count(frame: pl.DataFrame) -> pl.DataFrame:
        if draws is not None:
            ids = frame[ID].to_numpy() if ID in frame.columns else np.arange(len(frame), dtype=np.int64)
            scattered = np.floor(draws.uniform(ids, "key") * 2.0**KEY_BITS).astype(np.uint64)
            frame = frame.with_columns(pl.Series(_KEY, scattered))
        if question.value is not None:
            frame = frame.filter(pl.col(question.value).is_not_null())
        return frame.group_by(question.names).agg(question.asked(keys))

    if data.streamed is None:
        return count(data.table.select(question.used))
    parts = list(data.streamed.each(question.used, count))
    return pl.concat(parts).group_by(question.names).agg(question.added(keys))


def _table(data: Microdata, layout: Layout, grouped: pl.DataFrame, value: str | None, weight: str | None) -> Table:
    place = np.ravel_multi_index(tuple(_codes(data, name, grouped[name]) for name in layout.names), layout.shape)

    def dense(column: str, dtype: Any) -> NDArray[Any]:
        cells = np.zeros(layout.cells, dtype=dtype)
        cells[place] = grouped[column].to_numpy()
        return with_margins(cells.reshape(layout.shape))

    for column, name in ((_SUM, value), (_WEIGHT, weight)):
        if column in grouped.columns and not grouped[column].is_finite().all():
            raise InputError(f"Column '{name}' does not add up to a finite number: set infinite values to missing.")
    records = dense(_RECORDS, np.int64)
    figures: dict[str, Floats] = {COUNT: records.astype(np.float64)}
    if value is not None:
        figures[value if value != COUNT else f"{value}_sum"] = dense(_SUM, np.float64)
        largest, sizes = _largest(grouped, place, layout), dense(_SIZE, np.float64)
    else:
        if weight is not None:
            figures[WEIGHTED] = dense(_WEIGHT, np.float64)
        largest, sizes = (records[..., None] > np.arange(LARGEST)).astype(np.float64), figures[COUNT]
    keys = dense(_KEY, np.uint64) & np.uint64(2**KEY_BITS - 1) if _KEY in grouped.columns else None
    return Table(layout, figures, list(figures)[-1], Contributors(records, largest, sizes, keys))


def _largest(grouped: pl.DataFrame, place: NDArray[np.int64], layout: Layout) -> Floats:
    """The largest contributions of every cell and margin."""
    cells, ordered = np.zeros((layout.cells, LARGEST)), grouped[_TOP].list.sort(descending=True)
    for rank in range(LARGEST):
        cells[place, rank] = ordered.list.get(rank, null_on_oob=True).fill_null(0.0).to_numpy()
    return with_largest_margins(cells.reshape(*layout.shape, LARGEST))


def _labels(data: Microdata, name: str, found: pl.Series) -> tuple[str, ...]:
    """The labels of an attribute's categories: the known ones, else those that occur; missing comes last."""
    words = [_word(data, name, text) for text in _texts(_categories(data, name, found))]
    return (*words, *([unused(MISSING, tuple(words))] if found.null_count() else []))


def _categories(data: Microdata, name: str, found: pl.Series) -> pl.Series:
    known = data.schema[name].categories
    if known is None and isinstance(found.dtype, pl.Enum):
        known = tuple(found.dtype.categories.to_list())
    return found.unique().drop_nulls().sort() if known is None else pl.Series(known)


def _texts(values: pl.Series) -> list[str]:
    return as_text(_whole(values)).to_list()


def _whole(values: pl.Series) -> pl.Series:
    """Whole numbers as integers: 44 rather than 44.0."""
    if not values.dtype.is_float() or not (values == values.floor()).fill_null(True).all():
        return values
    return values.cast(pl.Int64, strict=False)


def _word(data: Microdata, name: str, text: str) -> str:
    labels = {str(code): label for code, label in data.schema[name].value_labels.items()}
    return labels.get(text, text)


def _codes(data: Microdata, name: str, found: pl.Series) -> NDArray[np.int64]:
    """The line of each occurring combination; missing comes last before the margin."""
    categories = _texts(_categories(data, name, found))
    found = _whole(found)
    places = pl.Series(range(len(categories)), dtype=pl.Int64)
    texts = as_text(found).replace_strict(pl.Series(categories, dtype=pl.String), places, default=len(categories))
    return texts.cast(pl.Int64).to_numpy()


def _names(given: Names) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Iterable):
        raise InputError(f"{given!r} does not name columns: give a name or a list of names.")
    return tuple(given)


def _check(data: Microdata, names: tuple[str, ...], value: str | None) -> None:
    for name in names:
        if data.schema[name].role is Role.IDENTIFIER:
            raise InputError(f"'{name}' is an identifier: a table of it would list individual people.")
        if names.count(name) > 1:
            raise InputError(f"'{name}' is named twice: use each attribute once.")
    if value is not None and not data.schema[value].kind & Kind.NUMERIC:
        raise InputError(f"Column '{value}' is {data.schema[value].kind.label}, but only numbers can be summed.")
    if value in names:
        raise InputError(f"'{value}' is both the summed value and a row or column: use other rows and columns.")


def _weight(data: Microdata, weight: bool | str) -> str | None:
    if isinstance(weight, str):
        if not data.schema[weight].kind & Kind.NUMERIC:
            raise InputError(f"Weight '{weight}' is {data.schema[weight].kind.label}: weights are numbers.")
        return weight
    return data.schema.weight if weight else None


def _refuse_large(layout: Layout, keyed: bool) -> None:
    """Refuse a table that would not fit into memory, before it is made."""
    columns = 5 + LARGEST + len(layout.names) + keyed
    size = layout.cells * 8 * 2 * columns
    available = _memory()
    if size > available / 2:
        sides = " × ".join(f"{len(layout.labels[name]):,} {name}" for name in layout.names)
        raise InputError(
            f"The table {sides} has {layout.cells:,} cells and would take about {size / 2**30:,.1f} GB of the "
            f"{available / 2**30:,.1f} GB that are free: recode an attribute, or use fewer."
        )


def _memory() -> float:
    """Bytes of free memory; a large number if the system does not report it."""
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return 2.0**34
