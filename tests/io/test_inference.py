"""Texts become numbers and dates only if nothing is lost."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ammg.io.inference import inferred


@given(st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=6), min_size=1, max_size=5))
def test_integers_that_were_found_give_the_texts_back(texts: list[str | None]) -> None:
    values = inferred(pl.Series(texts, dtype=pl.String), None)
    if values.dtype.is_integer():
        kept = [
            None if text is None or value is None else text.strip() for text, value in zip(texts, values, strict=True)
        ]
        assert values.cast(pl.String).to_list() == kept


@given(st.lists(st.none() | st.floats(allow_nan=False), min_size=1, max_size=5))
def test_numbers_give_the_floats_back(numbers: list[float | None]) -> None:
    texts = pl.Series([None if number is None else repr(number) for number in numbers], dtype=pl.String)
    values = inferred(texts, ".")
    if values.dtype.is_float():
        assert values.to_list() == numbers


@pytest.mark.parametrize(
    ("texts", "dtype"),
    [
        (["1", "-20"], pl.Int64),
        (["18446744073709551615"], pl.UInt64),
        (["1", "2.5"], pl.Float64),
        (["1", "NA"], pl.Int64),
        (["true", "FALSE"], pl.Boolean),
        (["2024-02-29"], pl.Date),
        (["2024-02-29 10:00"], pl.Datetime("us")),
        (["2024-02-29T10:00:00.123456789"], pl.Datetime("ns")),
        (["2024-02-30"], pl.String),
        (["010"], pl.String),
        (["1", "x"], pl.String),
        (["", "a"], pl.String),
        (["NA", "?"], pl.String),
    ],
)
def test_the_narrowest_type_that_loses_nothing_is_found(texts: list[str], dtype: pl.DataType) -> None:
    assert inferred(pl.Series(texts), ".").dtype == dtype
