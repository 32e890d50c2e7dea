"""Values of any type as text, so that they can be compared whatever they are stored as."""

from __future__ import annotations

import polars as pl


def as_text(values: pl.Series) -> pl.Series:
    """One text per value, the same for equal values; missing stays missing.

    Values without a text form (lists, structs, objects) get one that only shows whether they are equal.
    """
    dtype = values.dtype
    if dtype.is_nested() or dtype == pl.Object:
        text = values.hash(seed=0).cast(pl.String)
        return text.zip_with(values.is_not_null(), pl.Series([None], dtype=pl.String))
    if dtype == pl.Binary:
        return values.bin.encode("hex")
    return (values.to_physical() if dtype == pl.Duration else values).cast(pl.String)
