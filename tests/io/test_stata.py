"""Stata keeps values, labels, missing codes and formats; what it cannot hold is refused or documented."""

import tempfile
from pathlib import Path

import polars as pl
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import columns, described_facts, frames, labelled, schema_of
from test_spss import SMALL, TEXT, as_held

import ammg
from ammg.data.attribute import Attribute, Kind
from ammg.errors import InputError
from ammg.io.stata import Stata

NUMBERS = st.floats(allow_nan=False, min_value=-8.9e307, max_value=8.9e307)


@settings(max_examples=60, deadline=None)
@given(frames({**columns(TEXT, largest=2**53), pl.Float64(): NUMBERS, pl.Float32(): SMALL}))
def test_every_type_reads_back_as_it_was_written(frame: pl.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Stata().write(frame, schema_of(frame), f"{folder}/a.dta")
        after = ammg.read(f"{folder}/a.dta").table
    assert after.schema == frame.schema
    assert after.equals(as_held(frame))


def test_labels_codes_and_formats_read_back(tmp_path: Path) -> None:
    frame, schema = labelled()
    Stata().write(frame, schema, str(tmp_path / "survey.dta"))
    after = ammg.read(tmp_path / "survey.dta").schema
    facts, expected = described_facts(after), described_facts(schema)
    assert {name: fact[:-1] for name, fact in facts.items()} == {name: fact[:-1] for name, fact in expected.items()}
    assert after["income"].display_format == "%10.2f"


def test_the_file_itself_holds_labels_of_whole_numbers(tmp_path: Path) -> None:
    frame, schema = labelled()
    Stata().write(frame, schema, str(tmp_path / "survey.dta"))
    (tmp_path / "survey.codebook.yaml").unlink()
    sex = ammg.read(tmp_path / "survey.dta").schema["sex"]
    assert sex.label == "Sex of the réspondent"
    assert sex.value_labels == {1: "male", 2: "female", 9: "refused"}


def test_extended_missing_codes_of_others_keep_their_labels(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"x": [1.0, "a", None]}, dtype=object)
    labels = {"x": {1: "one", "a": "refused"}}
    pyreadstat.write_dta(frame, str(tmp_path / "a.dta"), missing_user_values={"x": ["a"]}, variable_value_labels=labels)
    data = ammg.read(tmp_path / "a.dta")
    assert data.table["x"].to_list() == [1, None, None]
    assert data.schema["x"].missing_codes == (".a",)
    assert data.schema["x"].value_labels == {1: "one", ".a": "refused"}
    Stata().write(data.table, data.schema, str(tmp_path / "b.dta"))
    (tmp_path / "b.codebook.yaml").unlink()
    assert ammg.read(tmp_path / "b.dta").schema["x"].value_labels == {1: "one", ".a": "refused"}


def test_a_file_written_by_pandas_is_read(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame({"small": pd.array([1, 2], "int8"), "day": pd.to_datetime(["2024-02-29", "1960-01-01"])})
    frame.to_stata(tmp_path / "a.dta", write_index=False, convert_dates={"day": "td"}, version=118)
    table = ammg.read(tmp_path / "a.dta").table
    assert table["small"].to_list() == [1, 2]
    assert table["day"].dtype == pl.Date
    assert str(table["day"][0]) == "2024-02-29"


def test_long_text_is_kept(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": ["é" * 3000, None, "b"]})
    Stata().write(frame, schema_of(frame), str(tmp_path / "a.dta"))
    assert ammg.read(tmp_path / "a.dta").table.equals(frame)


def test_numbers_beyond_those_of_stata_are_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": [1e308]})
    with pytest.raises(InputError, match="'x' holds 1e\\+308, which is outside the numbers of Stata"):
        Stata().write(frame, schema_of(frame), str(tmp_path / "a.dta"))


def test_a_file_that_is_not_stata_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.dta").write_bytes(b"not Stata" * 100)
    with pytest.raises(InputError, match="cannot be read as Stata"):
        ammg.read(tmp_path / "a.dta")


def test_labels_of_text_are_in_the_codebook_alone(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": ["a"]})
    x = Attribute(name="x", kind=Kind.NOMINAL, value_labels={"a": "first"})
    Stata().write(frame, schema_of(frame, x), str(tmp_path / "a.dta"))
    assert ammg.read(tmp_path / "a.dta").schema["x"].value_labels == {"a": "first"}
