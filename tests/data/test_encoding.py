"""Between polars and numpy: nothing is lost on the way and back."""

from datetime import date, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ammg
from ammg.data.attribute import Attribute, Kind
from ammg.data.encoding import categories_of, kind_of, to_array, to_series
from ammg.errors import InputError


def there_and_back(values: pl.Series, kind: Kind | None = None) -> pl.Series:
    attribute = Attribute(name=values.name, kind=kind or kind_of(values.dtype))
    if attribute.is_categorical:
        attribute = attribute.replace(categories=categories_of(values))
    return to_series(values.name, to_array(values, attribute), attribute, values.dtype)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (pl.Series("x", [1, None, -3], dtype=pl.Int8), Kind.INTEGER),
        (pl.Series("x", [1, None, 2**32], dtype=pl.UInt64), Kind.INTEGER),
        (pl.Series("x", [1.5, None, -3.0]), Kind.CONTINUOUS),
        (pl.Series("x", ["b", None, "a"]), Kind.NOMINAL),
        (pl.Series("x", [True, None, False]), Kind.NOMINAL),
        (pl.Series("x", ["b", None, "a"], dtype=pl.Enum(["b", "a", "c"])), Kind.NOMINAL),
        (pl.Series("x", [date(2000, 2, 29), None]), Kind.DATE),
        (pl.Series("x", [datetime(2000, 2, 29, 12, 30, 1), None]), Kind.DATE),
    ],
)
def test_a_column_comes_back_as_it_went_in(values: pl.Series, kind: Kind) -> None:
    assert kind_of(values.dtype) is kind
    back = there_and_back(values)
    assert back.dtype == values.dtype
    assert back.to_list() == values.to_list()


def test_whole_numbers_may_be_categories() -> None:
    zip_codes = pl.Series("zip", [44001, None, 10115, 44001])
    assert there_and_back(zip_codes, Kind.NOMINAL).equals(zip_codes, check_dtypes=True)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.none() | st.text(max_size=4), max_size=8))
def test_text_of_any_kind_comes_back(values: list[str | None]) -> None:
    assert there_and_back(pl.Series("x", values, dtype=pl.String)).to_list() == values


def test_missing_numbers_are_nan_and_missing_categories_minus_one() -> None:
    attribute = Attribute(name="c", kind=Kind.NOMINAL, categories=("a", "b"))
    codes = to_array(pl.Series("c", ["b", None, "unheard of", "a"]), attribute)
    assert codes.dtype == np.int32
    assert codes.tolist() == [1, -1, -1, 0]
    numbers = to_array(pl.Series("x", [1, None]), Attribute(name="x", kind=Kind.INTEGER))
    np.testing.assert_array_equal(numbers, [1.0, np.nan])


def test_the_dictionary_of_an_enum_keeps_its_own_order() -> None:
    assert categories_of(pl.Series(["low"], dtype=pl.Enum(["low", "high"]))) == ("low", "high")
    assert categories_of(pl.Series(["z", None, "a"])) == ("a", "z")
    assert categories_of(pl.Series([2.0, float("nan"), 1.0])) == (1.0, 2.0)
    assert categories_of(pl.Series([True])) == (False, True)


def test_text_is_no_number() -> None:
    with pytest.raises(InputError, match="'x' is String and cannot be used as integer"):
        to_array(pl.Series("x", ["a"]), Attribute(name="x", kind=Kind.INTEGER))


def test_free_text_is_never_masked() -> None:
    with pytest.raises(InputError, match="'x' is free text"):
        to_array(pl.Series("x", ["a"]), Attribute(name="x", kind=Kind.TEXT))


def test_a_number_that_the_type_cannot_hold_is_refused_by_name_and_value() -> None:
    age = Attribute(name="age", kind=Kind.INTEGER)
    with pytest.raises(InputError, match="'age' is Int8, which cannot hold 130: convert it to a wider type"):
        to_series("age", np.array([20.0, 130.0]), age, pl.Int8())


def test_whole_numbers_that_a_block_cannot_hold_are_refused_once_something_was_calculated() -> None:
    number = Attribute(name="n", kind=Kind.INTEGER)
    exact = pl.Series("n", [2**53, -(2**53)])
    assert to_series("n", to_array(exact, number), number, pl.Int64(), exact).equals(exact)
    for value in (2**53 + 1, -(2**53) - 1):
        beyond = pl.Series("n", [1, value])
        with pytest.raises(
            InputError, match=rf"'n' has whole numbers beyond 2\^53, such as {value}, .* role identifier"
        ):
            to_series("n", to_array(beyond, number), number, pl.Int64(), beyond)


def test_durations_and_times_stay_what_they_are() -> None:
    hours = pl.Series([1, 2, 3, 30]).cast(pl.Int64) * 3_600_000_000
    table = pl.DataFrame(
        {"stay": hours.cast(pl.Duration("us")), "at": (hours[:3].append(hours[:1]) * 1000).cast(pl.Time)}
    )
    masked = ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["stay", "at"], k=2)]).run(table).table
    assert masked.schema == table.schema
    assert (masked["stay"].dt.total_minutes() / 60).to_list() == [1.5, 1.5, 16.5, 16.5]
    assert masked["at"].cast(pl.String).to_list() == ["01:00:00", "02:30:00", "02:30:00", "01:00:00"]


def test_a_time_past_midnight_is_one_of_the_morning() -> None:
    late = pl.DataFrame({"at": pl.Series([86_399 * 10**9, 86_000 * 10**9]).cast(pl.Time)})
    masked = ammg.Pipeline([ammg.Rounding(columns=["at"], base=3_600 * 10**9)]).run(late).table["at"]
    assert masked.cast(pl.String).to_list() == ["00:00:00", "00:00:00"]


def test_a_duration_may_be_recoded() -> None:
    table = pl.DataFrame({"stay": pl.Series([1, 20]).cast(pl.Duration("us"))})
    masked = ammg.Pipeline([ammg.GlobalRecoding(columns=["stay"], cuts=[10])]).run(table)
    assert masked.steps[0].changed == {"stay": {"cells": 2}}
