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


def extended(path: Path) -> None:
    import pandas as pd

    columns = {"x": [1.0, "a", None, "c"], "y": [0.5, 2.5, "z", 7e8], "day": [0, "b", 2, 3]}
    labels = {"x": {1: "one", "a": "refused", "c": "not asked"}}
    missing = {"x": ["a", "c"], "y": ["z"], "day": ["b"]}
    forms = {"day": "%td"}
    frame = pd.DataFrame(columns, dtype=object)
    pyreadstat.write_dta(
        frame, str(path), missing_user_values=missing, variable_value_labels=labels, variable_format=forms
    )


def test_extended_missing_values_are_missing_and_leave_with_their_letters_and_labels(tmp_path: Path) -> None:
    extended(tmp_path / "a.dta")
    data = ammg.read(tmp_path / "a.dta")
    assert data.schema["x"].missing_codes == (-1000001, -1000003)
    assert data.schema["x"].value_labels == {1: "one", -1000001: "refused", -1000003: "not asked"}
    assert data.schema["y"].missing_codes == (-10000000026,)
    assert data.table["x"].null_count() == 3
    assert data.table["day"].to_list()[1] is None
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["y"])]).run(data, secret=1)
    masked.release(force="the order and a small file do not matter here").write(tmp_path / "b.dta")
    for name in ("a.dta", "b.dta"):
        frame, meta = pyreadstat.read_dta(str(tmp_path / name), user_missing=True, output_format="dict")
        assert meta.missing_user_values["x"] == ["a", "c"]
        assert meta.variable_value_labels["x"] == {1: "one", "a": "refused", "c": "not asked"}
        assert list(frame["y"]).count("z") == 1
        assert {value for value in frame["x"] if isinstance(value, str)} == {"a", "c"}


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
    with pytest.raises(InputError, match="'x' holds 1e\\+308, which is outside the range of Stata"):
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
