"""Files that SAS, SPSS, Stata and others wrote, from packages of Debian: `.ci/run` fetches them."""

import datetime as dt
import os
from pathlib import Path

import polars as pl
import pytest

import ammg
from ammg.errors import InputError

FOLDER = os.environ.get("AMMG_FOREIGN_FILES", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="AMMG_FOREIGN_FILES names no folder; .ci/run makes one")


def read(name: str) -> ammg.Microdata:
    return ammg.read(Path(FOLDER) / name)


def test_iris_is_the_same_from_sas_spss_and_stata() -> None:
    """Fisher's means are 5.843, 3.057, 3.758 and 1.199; Stata holds single precision."""
    sas, spss, stata = read("iris.sas7bdat"), read("iris.sav"), read("iris.dta")
    for data in (sas, spss, stata):
        means = data.table[:, :4].mean().row(0)
        assert means == pytest.approx((5.843333, 3.057333, 3.758, 1.199333), abs=1e-6)
        assert data.table.shape == (150, 5)
    assert sas.table[:, :4].equals(spss.table[:, :4].rename(dict(zip(spss.columns, sas.columns, strict=True))))
    assert sas.table["Species"].value_counts(sort=True)["count"].to_list() == [50, 50, 50]
    assert spss.schema["Species"].value_labels == {1: "setosa", 2: "versicolor", 3: "virginica"}
    assert stata.schema["sepallength"].label == "Sepal.Length"
    named = spss.table["Species"].replace_strict(spss.schema["Species"].value_labels)
    assert named.to_list() == stata.table["species"].to_list()
    assert named.str.head(6).to_list() == sas.table["Species"].to_list()  # six characters are all that SAS was given


def test_a_sas_file_is_masked_and_leaves_as_transport_file(tmp_path: Path) -> None:
    data = read("iris.sas7bdat").with_roles(confidential=["Sepal_Length", "Sepal_Width"])
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["Sepal_Length", "Sepal_Width"])]).run(data, secret=1)
    with pytest.raises(InputError, match=r"can only be read; write \.xpt instead"):
        masked.release().write(tmp_path / "iris.sas7bdat")
    masked.release().write(tmp_path / "iris.xpt")
    after = ammg.read(tmp_path / "iris.xpt")
    assert after.table.schema == data.table.schema
    assert after.table["Petal_Length"].sort().equals(data.table["Petal_Length"].sort())
    assert after.schema["Petal_Length"].display_format == "BEST12"


def test_dates_moments_and_times_of_a_transport_file() -> None:
    table = read("test.xpt").table
    assert table["D1"].to_list() == [dt.date(2002, 3, 3), dt.date(2002, 6, 3)]
    assert table["DT1"].to_list() == [dt.datetime(2002, 3, 3, 9, 31, 2), dt.datetime(2002, 6, 3, 9, 42, 7)]
    assert table["T1"].to_list() == [dt.time(11, 13, 45), dt.time(11, 14, 13)]
    assert read("test.xpt").schema["AGE"].label == "Age at Beginning of Study"


def test_a_transport_file_of_several_datasets_is_refused() -> None:
    with pytest.raises(InputError, match=r"test2.xpt' holds \d datasets: write each to a file of its own"):
        read("test2.xpt")


def test_what_spss_wrote_keeps_labels_missing_codes_and_dates() -> None:
    data = read("testdata.sav")
    coded = data.schema["factor_n_coded_miss"]
    assert coded.missing_codes == (99,)
    assert coded.value_labels[1] == "strongly disagree"
    assert data.schema["numeric_long_label"].missing_codes == ((1, 2),)
    assert data.schema["string_miss"].missing_codes == ("a", "b")
    assert data.table["string_miss"].to_list()[:3] == [None, "c", None]
    assert data.table["date"][0] == dt.date(1983, 12, 11)
    assert data.schema["date"].display_format == "EDATE10"
    assert data.table["factor_s_duplicated"].to_list()[1:3] == ["ö", "ä"]
    assert max(map(len, data.table["string_500"].drop_nulls())) > 255


def test_an_older_spss_file_counts_as_its_report_says() -> None:
    data = read("electric.sav")
    assert data.table.shape == (240, 13)
    assert data.schema["DAYOFWK"].missing_codes == (9,)
    assert data.schema["FIRSTCHD"].value_labels[1] == "NO CHD"
    assert data.table["VITAL10"].value_counts().sort("VITAL10")["count"].sum() == 240


def test_missing_numbers_of_stata_are_numbers() -> None:
    table = read("data_missing.dta").table
    assert all(dtype.is_numeric() for dtype in table.schema.values())
    assert table.null_count().row(0) == (1, 1, 1, 1, 1)


def test_dates_of_stata() -> None:
    table = read("time_series_examples.dta").table
    assert table["date"].to_list() == [dt.date(2010, 1, 20), dt.date(1953, 10, 2)]
    assert table["datetime_c"][0] == dt.datetime(2006, 11, 19, 23, 13, 20)
    assert (
        table["monthly_date"].dtype == pl.Int64
    )  # Stata's months have no type here: the display format says what they are
    assert read("time_series_examples.dta").schema["monthly_date"].display_format == "%tm"
