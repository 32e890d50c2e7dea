"""Columns come out of a release in the types of pandas and pyarrow that they went in with."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import ammg

N = 30
RNG = np.random.default_rng(0)
CATEGORIES = ["lo", "mid", "hi", "never"]

PANDAS: dict[str, Any] = {
    "Int64": pd.array([1, None, 3] * 10, dtype="Int64"),
    "UInt8": pd.array([1, None, 3] * 10, dtype="UInt8"),
    "Float64": pd.array([1.5, None, 3] * 10, dtype="Float64"),
    "boolean": pd.array([True, None, False] * 10, dtype="boolean"),
    "string": pd.array(["x", None, "y"] * 10, dtype="string"),
    "object": pd.Series(["x", None, "y"] * 10, dtype=object),
    "int8": RNG.permutation(N).astype("int8"),
    "float32": RNG.permutation(N).astype("float32"),
    "bool": np.array([True, False, True] * 10),
    "datetime64[s]": pd.Series(pd.to_datetime(["2020-01-01", None, "2020-01-03"] * 10)).astype("datetime64[s]"),
    "timedelta": pd.Series(pd.to_timedelta([1, 2, 3] * 10, "D")),
    "int64[pyarrow]": pd.array([1, None, 3] * 10, dtype="int64[pyarrow]"),
    "category of numbers": pd.Categorical([3, 1, None] * 10),
}
ARROW: dict[str, Any] = {
    "string": pa.array(["a", None, "c"] * 10, pa.string()),
    "large string": pa.array(["a", None, "c"] * 10, pa.large_string()),
    "dictionary": pa.array(["a", None, "c"] * 10).dictionary_encode(),
    "small dictionary": pa.DictionaryArray.from_arrays(pa.array([0, None, 1] * 10, pa.int8()), pa.array(["a", "c"])),
    "int16": pa.array([1, None, 3] * 10, pa.int16()),
    "float": pa.array([1.5, None, 3] * 10, pa.float32()),
    "date": pa.array([1, None, 3] * 10, pa.date32()),
    "decimal": pa.array([1, None, 3] * 10, pa.int64()).cast(pa.decimal128(30, 2)),
    "list": pa.array([[1], None, [2, 3]] * 10, pa.list_(pa.int64())),
    "binary": pa.array([b"\xff", None, b""] * 10, pa.binary()),
    "seconds": pa.array([1, None, 3] * 10, pa.timestamp("s")),
}


def released(frame: Any, *steps: ammg.Method) -> Any:
    data = ammg.Microdata(frame).with_roles(key=["age"], confidential=["income"])
    return ammg.Pipeline([ammg.RankSwapping(columns=["age"], p=20), *steps]).run(data, secret=1).release().to_native()


def with_people(columns: dict[str, Any]) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    return {"age": rng.integers(18, 90, N), "income": rng.permutation(N) + 0.5, **columns}


@pytest.mark.parametrize("case", PANDAS)
def test_pandas_types_and_values_come_back(case: str) -> None:
    frame = pd.DataFrame(with_people({"q": PANDAS[case]}))
    out = released(frame)
    assert out["q"].dtype == frame["q"].dtype
    was = frame.set_index("income").loc[out["income"], "q"].reset_index(drop=True)
    pd.testing.assert_series_equal(out["q"], was)


@pytest.mark.parametrize("ordered", [True, False])
def test_a_category_keeps_its_order_and_loses_what_nobody_has(ordered: bool) -> None:
    values = pd.Categorical(["mid", "lo", "hi"] * 10, categories=CATEGORIES, ordered=ordered)
    kind = released(pd.DataFrame(with_people({"q": values})))["q"].dtype
    assert list(kind.categories) == ["lo", "mid", "hi"]
    assert kind.ordered is ordered


def test_a_recoded_category_has_its_new_categories() -> None:
    values = pd.Categorical(["mid", "lo", "hi"] * 10, categories=CATEGORIES, ordered=True)
    recoding = ammg.GlobalRecoding(columns=["q"], map={"mid": "high", "hi": "high"})
    out = released(pd.DataFrame(with_people({"q": values})), recoding)
    assert set(out["q"].dtype.categories) == {"lo", "high"}


def test_the_order_of_a_category_is_that_in_which_it_is_masked() -> None:
    frame = pd.DataFrame({"q": pd.Categorical(["mid", "lo", "hi"], categories=CATEGORIES, ordered=True)})
    assert ammg.Microdata(frame).dictionary("q") == tuple(CATEGORIES)
    table = pa.Table.from_pandas(frame)
    assert table.schema.field("q").type.ordered
    assert ammg.Microdata(table).dictionary("q") == tuple(CATEGORIES)


@pytest.mark.parametrize(("integers", "dtype"), [(True, "Int64"), (False, "Float64")])
def test_masked_whole_numbers_that_may_be_missing_still_may_be_missing(integers: bool, dtype: str) -> None:
    frame = pd.DataFrame(with_people({"q": pd.array(range(N), dtype="Int64")}))
    frame.loc[3, "q"] = pd.NA
    out = released(frame, ammg.AdditiveNoise(columns=["q"], p=0.5, integers=integers))
    assert out["q"].dtype == dtype
    assert out["q"].isna().sum() == 1


@pytest.mark.parametrize("case", ARROW)
def test_pyarrow_types_and_values_come_back(case: str) -> None:
    table = pa.table(with_people({"q": ARROW[case]}))
    out = released(table)
    assert out.schema == table.schema
    was = dict(zip(table["income"].to_pylist(), table["q"].to_pylist(), strict=True))
    assert out["q"].to_pylist() == [was[income] for income in out["income"].to_pylist()]


def test_an_ordered_dictionary_keeps_its_order() -> None:
    values = pa.DictionaryArray.from_arrays(pa.array([1, 0, 2] * 10, pa.int8()), pa.array(CATEGORIES), ordered=True)
    out = released(pa.table(with_people({"q": values})))
    assert out.schema.field("q").type == values.type
    assert out["q"].combine_chunks().dictionary.to_pylist() == ["lo", "mid", "hi"]
