"""A table is returned in the library it came from."""

from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ammg
from ammg.errors import InputError

TABLE = ammg.datasets.patients()


@pytest.mark.parametrize(
    ("frame", "library"), [(TABLE, pl.DataFrame), (TABLE.to_pandas(), pd.DataFrame), (TABLE.to_arrow(), pa.Table)]
)
def test_polars_pandas_and_pyarrow_come_out_as_what_they_were(frame: Any, library: type) -> None:
    masked = ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["Age"], k=2)]).run(frame, secret=1)
    released = masked.release(force="fictitious patients").to_native()
    assert type(released) is library
    assert sorted(pl.DataFrame(released)["Age"]) == [30, 30, 44, 44, 44.5, 44.5, 50, 50, 55, 55]


def test_a_lazy_frame_is_collected() -> None:
    assert len(ammg.Microdata(TABLE.lazy())) == 10


def test_missing_values_of_pandas_are_missing() -> None:
    data = ammg.Microdata(pd.DataFrame({"x": [1.0, None], "c": ["a", None]}))
    assert data.block(["x", "c"]).is_missing("x").tolist() == [False, True]
    assert data.block(["x", "c"])["c"].tolist() == [0, -1]


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(InputError, match="A list is not a table: give a polars, pandas or pyarrow table"):
        ammg.Microdata([1, 2, 3])


def test_columns_without_names_are_refused() -> None:
    with pytest.raises(InputError, match=r"Column names must be text, these are \[0, 1\]"):
        ammg.Microdata(pd.DataFrame([[1, 2]]))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]),
        pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]),
    ],
)
def test_two_columns_of_one_name_are_refused(frame: Any) -> None:
    with pytest.raises(InputError, match="The table has two columns called 'a': rename one"):
        ammg.Microdata(frame)


def test_a_column_of_mixed_types_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"Column 'b' mixes values of several types \(int, str\): convert it"):
        ammg.Microdata(pd.DataFrame({"a": [1, 2, 3], "b": [1, "x", None]}))


@pytest.mark.parametrize("values", [pd.period_range("2020-01", periods=3, freq="M"), pd.interval_range(0, 3)])
def test_periods_and_intervals_are_refused(values: Any) -> None:
    with pytest.raises(InputError, match=r"Column 'when' is .*: convert it to text, numbers or dates first"):
        ammg.Microdata(pd.DataFrame({"when": values}))
