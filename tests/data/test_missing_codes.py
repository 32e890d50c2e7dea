"""Codes that stand for missing values are missing inside, and are in the release again."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.missing_codes import is_coded, put_back
from ammg.errors import InputError


def incomes() -> ammg.Microdata:
    rng = np.random.default_rng(3)
    income = np.where(rng.random(300) < 0.2, -9, rng.integers(1_000, 9_000, 300))
    table = pl.DataFrame({"income": income, "age": rng.integers(18, 90, 300)})
    return ammg.Microdata(table).with_roles(confidential="income", key="age")


def test_declared_codes_are_missing_for_methods_and_measures() -> None:
    data = incomes().with_missing_codes(income={-9: "refused"})
    assert data.table["income"].min() >= 1_000
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["income"])]).run(data, secret=1)
    assert masked.table["income"].null_count() == (incomes().table["income"] == -9).sum()
    assert masked.pair.original.block(["income"]).numbers("income").size == 300


def test_codes_are_in_the_release_at_the_records_that_had_them() -> None:
    data = incomes().with_missing_codes({"income": -9})
    release = ammg.Pipeline([ammg.RankSwapping(columns=["income", "age"])]).run(data, secret=1).release()
    assert (release.table["income"] == -9).sum() == (incomes().table["income"] == -9).sum()
    assert release.table["income"].null_count() == 0
    assert release.schema["income"].missing_codes == (-9,)


def test_codes_stay_out_of_a_column_with_suppressed_cells_which_would_be_the_only_empty_ones() -> None:
    table = incomes().table
    data = (
        ammg.Microdata(table).with_roles(key="age", confidential="income").with_missing_codes(age=list(range(18, 25)))
    )
    few = ammg.Pipeline([ammg.GlobalRecoding(columns=["age"], groups=4)]).run(data, secret=1)
    assert few.release().table["age"].null_count() == 0
    hidden = few.source.collect().with_columns(age=pl.when(pl.int_range(300) % 50 > 0).then(pl.col("age")))
    frame, _ = put_back(hidden, few.schema, data.table, data.missing_reasons)
    assert frame["age"].null_count() == hidden["age"].null_count()


def test_declaring_in_two_steps_keeps_both() -> None:
    data = incomes().with_missing_codes(income=-9).with_missing_codes(income=[(8_000, 8_999)])
    table = incomes().table
    expected = (table["income"] == -9) | table["income"].is_between(8_000, 8_999)
    assert data.table["income"].null_count() == expected.sum()
    assert data.missing_reasons["income"].drop_nulls().to_list() == table["income"].filter(expected).to_list()


@pytest.mark.parametrize(
    ("values", "codes", "expected"),
    [
        ([1.0, 9.0, None], (9,), [False, True, False]),
        ([1, 92, 99], ((90, 95),), [False, True, False]),
        (["a", "x", None], ("x", 9), [False, True, False]),
    ],
)
def test_codes_are_compared_as_numbers_or_as_text(values: list[object], codes: tuple, expected: list[bool]) -> None:
    assert is_coded(pl.Series(values), codes).to_list() == expected


def test_a_range_has_two_ends() -> None:
    with pytest.raises(InputError, match=r"Missing code \[1, 2, 3\] of 'income' is not a range"):
        incomes().with_missing_codes(income=[[1, 2, 3]])


def test_projects_declare_missing_codes(tmp_path) -> None:
    incomes().table.write_csv(tmp_path / "a.csv")
    (tmp_path / "p.yaml").write_text(
        "source: a.csv\nmissing_codes: {income: {-9: refused}}\nroles: {income: confidential}\n"
        "methods: [{univariate_microaggregation: {columns: [income]}}]\ntarget: out.csv\n"
    )
    project, data = ammg.Project.open(tmp_path / "p.yaml")
    assert data.schema["income"].value_labels == {-9: "refused"}
    assert data.table["income"].null_count() > 0
    assert "missing_codes" in project.to_yaml()


def test_codes_declared_as_a_range_come_back_when_numbers_are_recoded(tmp_path) -> None:
    table = incomes().table.with_columns(
        pl.when(pl.int_range(pl.len()) % 7 == 0).then(-8).otherwise("income").alias("income")
    )
    data = ammg.Microdata(table).with_missing_codes(income=[(-9, -8)]).with_roles(confidential="income", key="age")
    masked = ammg.Pipeline([ammg.GlobalRecoding(columns=["income"], groups=3)]).run(data, secret=1)
    release = masked.release()
    assert release.schema["income"].missing_codes == ("-9", "-8")
    for code in (-9, -8):
        assert (release.table["income"].cast(pl.String) == str(code)).sum() == (table["income"] == code).sum()


@pytest.mark.parametrize("declared", ["in the file", "by the owner"])
def test_codes_of_a_stream_are_missing_for_methods_and_measures_and_back_in_the_release(tmp_path, declared) -> None:
    path = tmp_path / "a.parquet"
    if declared == "in the file":
        coded = incomes().with_missing_codes(income={-9: "refused"})
        ammg.Pipeline([ammg.RankSwapping(columns=["age"])]).run(coded, secret=1).release().write(path)
        data = ammg.read(path, stream=True)
    else:
        incomes().table.write_parquet(path)
        data = ammg.read(path, stream=True).with_missing_codes(income={-9: "refused"})
    refused = (incomes().table["income"] == -9).sum()
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["income"], p=0.01)]).run(data, secret=1)
    assert data.streamed is not None
    assert masked.table["income"].min() > 500
    assert masked.table["income"].null_count() == refused
    assert ammg.evaluate(masked, ["il1s"])["il1s"].value < 0.02
    masked.release().write(tmp_path / "b.parquet")
    assert (pl.read_parquet(tmp_path / "b.parquet")["income"] == -9).sum() == refused
    assert ammg.read(tmp_path / "b.parquet").schema["income"].value_labels == {-9: "refused"}


def test_a_stream_is_released_as_the_same_file_in_memory_codes_of_recoded_numbers_included(tmp_path) -> None:
    incomes().table.write_parquet(tmp_path / "a.parquet")
    steps = [ammg.GlobalRecoding(columns=["income"], cuts=[3_000, 6_000]), ammg.Sampling(fraction=0.7)]
    frames = []
    for stream in (False, True):
        data = ammg.read(tmp_path / "a.parquet", stream=stream).with_missing_codes(income=-9)
        ammg.Pipeline(steps).run(data, secret=1).release().write(tmp_path / "b.parquet")
        frames.append(ammg.read(tmp_path / "b.parquet").table.cast({"income": pl.String}))
        assert "-9" in pl.read_parquet(tmp_path / "b.parquet")["income"].cast(pl.String).unique().to_list()
    assert frames[0].equals(frames[1])


def test_codes_stay_out_of_a_streamed_column_with_suppressed_cells(tmp_path) -> None:
    table = incomes().table.with_columns(pl.when(pl.int_range(pl.len()) < 2).then(17).otherwise("age").alias("age"))
    table = table.with_columns(pl.when(pl.int_range(pl.len()) % 9 == 5).then(-1).otherwise("age").alias("age"))
    table.write_parquet(tmp_path / "a.parquet")
    data = ammg.read(tmp_path / "a.parquet", stream=True).with_missing_codes(age=-1).with_roles(key="age")
    masked = ammg.Pipeline([ammg.LocalSuppression(columns=["age"], k=3, missing="category")]).run(data, secret=1)
    assert masked.table["age"].null_count() > (table["age"] == -1).sum()
    assert -1 not in masked.release().table["age"].to_list()
