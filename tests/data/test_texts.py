"""Values of any type can be compared as text, and columns of any type pass through a release."""

import datetime as dt
from typing import Any

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.texts import as_text

VALUES: dict[str, tuple[list[Any], Any]] = {
    "duration": ([dt.timedelta(days=day) for day in range(40)], pl.Duration),
    "list": ([[day, 2] for day in range(40)], pl.List(pl.Int64)),
    "array": ([[day, 2] for day in range(40)], pl.Array(pl.Int64, 2)),
    "struct": ([{"a": day, "b": b"\xff"} for day in range(40)], None),
    "list of durations": ([[dt.timedelta(days=day)] for day in range(40)], None),
    "binary": ([bytes([255, day]) for day in range(40)], pl.Binary),
    "time": ([dt.time(1, day) for day in range(40)], pl.Time),
    "decimal": (list(range(40)), pl.Decimal(10, 2)),
    "nothing": ([None] * 40, pl.Null),
}


def column(case: str) -> pl.Series:
    values, dtype = VALUES[case]
    return pl.Series("q", values, dtype=dtype)


@pytest.mark.parametrize("case", VALUES)
def test_texts_are_the_same_where_values_are(case: str) -> None:
    values = column(case)
    text = as_text(pl.concat([values, values.clear(2)]))
    assert text.dtype == pl.String
    assert text.null_count() == values.null_count() + 2
    assert text.drop_nulls().n_unique() == values.drop_nulls().n_unique()
    assert as_text(values[::-1]).to_list() == as_text(values).to_list()[::-1]


@pytest.mark.parametrize("role", ["other", "identifier"])
@pytest.mark.parametrize("case", VALUES)
def test_a_column_of_any_type_that_no_step_names_passes_through(case: str, role: str) -> None:
    rng = np.random.default_rng(1)
    age, income = rng.integers(18, 90, 40), rng.normal(size=40)
    table = pl.DataFrame({"age": age, "income": income}).with_columns(column(case).shuffle(seed=1))
    data = ammg.Microdata(table).with_roles(key=["age"], confidential=["income"], **{role: ["q"]})
    masked = ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["age"], k=3)]).run(data, secret=1)
    released = masked.release().to_polars()
    assert ammg.evaluate(masked).records["t"] == 40
    assert ("q" in released.columns) == (role == "other")
    if role == "other":
        origin = table.select("income", was="q")
        both = released.join(origin, on="income", how="left")
        assert both["q"].equals(both["was"].alias("q"), null_equal=True)


def test_a_linked_list_moves_along() -> None:
    table = pl.DataFrame({"age": list(range(40)), "q": column("list")})
    data = ammg.Microdata(table).with_roles(key=["age"]).with_links({"q": "age"})
    masked = ammg.Pipeline([ammg.RankSwapping(columns=["age"], p=20)]).run(data, secret=1)
    assert masked.table["q"].list.first().to_list() == masked.table["age"].to_list()
    assert masked.steps[0].changed["q"]["cells"] == masked.steps[0].changed["age"]["cells"]
