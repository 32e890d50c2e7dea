"""Column types of pandas and pyarrow, restored in a release where its values allow it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl


def ordered_categories(column: Any, kind: Any) -> list[str] | None:
    """The categories of an ordered categorical column of pandas or pyarrow, in order, if they are text."""
    if not getattr(kind, "ordered", False):
        return None
    if hasattr(kind, "categories"):
        categories = list(kind.categories)
    else:
        chunks = column.unify_dictionaries().chunks
        categories = chunks[0].dictionary.to_pylist() if chunks else []
    return categories if all(isinstance(category, str) for category in categories) else None


def as_pandas(frame: pl.DataFrame, types: Mapping[str, Any]) -> Any:
    """A pandas frame; columns that were not plain numpy numbers get their original type back.

    Nullable integers stay nullable integers; if masking turned them into fractions, they become nullable floats.
    Categories without records are not in the release.
    """
    table = frame.to_pandas()
    for column in frame:
        kind = types.get(column.name)
        if kind is not None and table[column.name].dtype != kind:
            table[column.name] = _pandas_column(column, table[column.name], kind)
    return table


def _pandas_column(column: pl.Series, plain: Any, kind: Any) -> Any:
    import pandas as pd

    if isinstance(kind, pd.CategoricalDtype):
        return _pandas_categories(column, kind)
    if isinstance(kind, pd.ArrowDtype):
        arrow = column.to_arrow()
        restored = _restored(arrow, kind.pyarrow_dtype)
        arrow_backed: Any = pd.ArrowDtype(restored.type)
        return pd.Series(arrow_backed.__from_arrow__(restored), index=plain.index)
    if isinstance(kind, pd.StringDtype):
        return plain.astype(kind) if column.dtype in (pl.String, pl.Categorical, pl.Enum) else plain
    if isinstance(kind, pd.BooleanDtype):
        return plain.astype(kind) if column.dtype == pl.Boolean else plain
    if pd.api.types.is_extension_array_dtype(kind) and pd.api.types.is_numeric_dtype(kind):
        return _pandas_nullable(column, plain, kind)
    if kind == object:  # noqa: E721
        return pd.Series(column.to_list(), index=plain.index, dtype=object)
    same_sort = getattr(kind, "kind", None) == getattr(plain.dtype, "kind", "")
    return plain.astype(kind) if same_sort and kind.kind in "fMm" else plain


def _pandas_nullable(column: pl.Series, plain: Any, kind: Any) -> Any:
    import pandas as pd

    if not column.dtype.is_numeric():
        return plain
    whole = column.dtype.is_integer() and pd.api.types.is_integer_dtype(kind)
    if whole:
        restored = kind
    elif column.dtype.is_integer():
        restored = pd.Int64Dtype()
    else:
        restored = kind if pd.api.types.is_float_dtype(kind) else pd.Float64Dtype()
    return pd.Series(restored.__from_arrow__(column.to_arrow()), index=plain.index)


def _pandas_categories(column: pl.Series, kind: Any) -> Any:
    """The categories that occur, in the original order if none of them is new."""
    import pandas as pd

    values = column.cast(pl.String) if column.dtype in (pl.Categorical, pl.Enum) else column
    present = set(values.drop_nulls().unique().to_list())
    known = [category for category in kind.categories if category in present]
    if len(known) == len(present):
        categories, ordered = known, kind.ordered
    elif isinstance(column.dtype, pl.Enum):  # recoded: the new categories have their own order
        categories = [category for category in column.dtype.categories if category in present]
        ordered = kind.ordered
    else:
        categories, ordered = sorted(present), False
    return pd.Series(pd.Categorical(values.to_list(), categories=categories, ordered=ordered))


def as_pyarrow(frame: pl.DataFrame, types: Mapping[str, Any]) -> Any:
    """A pyarrow table; columns that polars stores in another width get their original type back."""
    table = frame.to_arrow()
    for position, name in enumerate(table.column_names):
        if name in types and table.column(name).type != types[name]:
            table = table.set_column(position, name, _restored(table.column(name), types[name]))
    return table


def _restored(column: Any, kind: Any) -> Any:
    """The column in its original type if that holds the same sort of values and all of them, else unchanged."""
    import pyarrow as pa

    try:
        if pa.types.is_dictionary(kind):
            return _arrow_dictionary(column, kind)
        plain = _plain(column)
        return plain.cast(kind) if _sort(plain.type) == _sort(kind) else column
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return column


def _plain(column: Any) -> Any:
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column
    return column.cast(column.type.value_type)


def _arrow_dictionary(column: Any, kind: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = _plain(column)
    if _sort(plain.type) != _sort(kind.value_type):
        return column
    plain = plain.cast(kind.value_type)
    order = list(dict.fromkeys(column.unify_dictionaries().chunk(0).dictionary.to_pylist())) if kind.ordered else None
    whole = plain.combine_chunks() if isinstance(plain, pa.ChunkedArray) else plain
    if order is None:
        coded = whole.dictionary_encode()
        dictionary, codes = coded.dictionary, coded.indices
    else:
        dictionary = pa.array(order, kind.value_type)
        codes = pc.index_in(whole, dictionary)
    return pa.DictionaryArray.from_arrays(codes.cast(kind.index_type), dictionary, ordered=kind.ordered)


def _sort(kind: Any) -> str:
    """The sort of values that a type holds, whatever its width."""
    import pyarrow as pa

    tests = {
        "text": lambda t: pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t),
        "bytes": lambda t: pa.types.is_binary(t) or pa.types.is_large_binary(t) or pa.types.is_binary_view(t),
        "integer": pa.types.is_integer,
        "fraction": pa.types.is_floating,
        "moment": pa.types.is_timestamp,
        "nested": pa.types.is_nested,
    }
    return next((sort for sort, holds in tests.items() if holds(kind)), str(kind.id))
