"""SAS transport files keep values, variable labels and formats; what they cannot hold is refused or documented."""

import datetime as dt
import tempfile
from pathlib import Path

import polars as pl
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import columns, described_facts, frames, labelled, schema_of
from test_spss import TEXT, as_held

import ammg
from ammg.errors import InputError
from ammg.io.sas import Sas


def held(width: int) -> st.SearchStrategy[float]:
    whole = st.floats(allow_nan=False, allow_infinity=False, width=width)
    return whole.filter(lambda x: x == 0 or 1e-78 < abs(x) < 7e75)


@settings(max_examples=60, deadline=None)
@given(frames({**columns(TEXT, largest=2**53), pl.Float64(): held(64), pl.Float32(): held(32)}))
def test_every_type_reads_back_as_it_was_written(frame: pl.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Sas().write(frame, schema_of(frame), f"{folder}/a.xpt")
        after = ammg.read(f"{folder}/a.xpt").table
    assert after.schema == frame.schema
    assert after.equals(as_held(frame))


def test_labels_read_back_through_the_codebook(tmp_path: Path) -> None:
    frame, schema = labelled()
    Sas().write(frame, schema, str(tmp_path / "survey.xpt"))
    after = ammg.read(tmp_path / "survey.xpt").schema
    assert described_facts(after)["sex"][:4] == described_facts(schema)["sex"][:4]


def test_the_file_itself_holds_variable_labels_and_formats(tmp_path: Path) -> None:
    frame, schema = labelled()
    Sas().write(frame, schema, str(tmp_path / "survey.xpt"))
    (tmp_path / "survey.codebook.yaml").unlink()
    after = ammg.read(tmp_path / "survey.xpt")
    assert after.schema["sex"].label == "Sex of the réspondent"
    assert after.schema["income"].display_format == "F10.2"
    assert after.table["sex"].dtype == pl.Int64


def test_dates_of_others_are_dates(tmp_path: Path) -> None:
    frame = pl.DataFrame({"d": [dt.date(1959, 1, 1), None], "t": [dt.datetime(2024, 2, 29, 12), None]})
    pyreadstat.write_xport(frame, str(tmp_path / "a.xpt"))
    assert ammg.read(tmp_path / "a.xpt").table.equals(frame)


def test_numbers_beyond_those_of_transport_files_are_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": [1e300]})
    with pytest.raises(InputError, match="'x' holds 1e\\+300"):
        Sas().write(frame, schema_of(frame), str(tmp_path / "a.xpt"))


@pytest.mark.parametrize("suffix", ["xpt", "sas7bdat"])
def test_a_file_that_is_not_sas_is_refused(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(b"not SAS" * 1000)
    with pytest.raises(InputError, match="cannot be read as SAS"):
        ammg.read(path)


def test_sas7bdat_is_not_written(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": [1]})
    with pytest.raises(InputError, match=r"write \.xpt instead"):
        Sas().write(frame, schema_of(frame), str(tmp_path / "a.sas7bdat"))


def test_a_number_that_is_no_date_under_the_format_of_one_is_refused(tmp_path: Path) -> None:
    pyreadstat.write_xport(pl.DataFrame({"d": [1.0, 1e40]}), str(tmp_path / "a.xpt"), variable_format={"d": "DATE9"})
    with pytest.raises(InputError, match="'d' has a date format but holds numbers that are not dates"):
        ammg.read(tmp_path / "a.xpt")


def test_a_file_of_two_datasets_is_refused(tmp_path: Path) -> None:
    pyreadstat.write_xport(pl.DataFrame({"d": [1.0, 2.0]}), str(tmp_path / "a.xpt"))
    data = (tmp_path / "a.xpt").read_bytes()
    (tmp_path / "a.xpt").write_bytes(data + data[240:])  # what follows the header of the library is its first member
    with pytest.raises(InputError, match="holds 2 datasets"):
        ammg.read(tmp_path / "a.xpt")


def test_a_catalog_that_is_absent_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.sas7bdat").write_bytes(b"not SAS" * 1000)
    with pytest.raises(InputError, match=r"formats.sas7bcat' does not exist"):
        ammg.read(tmp_path / "a.sas7bdat", catalog=str(tmp_path / "formats.sas7bcat"))


def test_recoded_numbers_are_codes_whose_labels_are_in_the_codebook(tmp_path: Path) -> None:
    table = pl.DataFrame({"age": [20, 35, 50, 65] * 5, "sex": ["f", "m"] * 10})
    masked = ammg.Pipeline([ammg.GlobalRecoding(columns=["age"], cuts=[30, 60])]).run(table, secret=1)
    masked.release().write(tmp_path / "out.xpt")
    codes = pyreadstat.read_xport(tmp_path / "out.xpt")[0]["age"]
    assert sorted(codes.unique()) == [1, 2, 3]
    assert ammg.read(tmp_path / "out.xpt").table["age"].to_list().count("[30, 60)") == 10
