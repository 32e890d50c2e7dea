"""SPSS keeps values, labels, user-missing codes, measures and formats; what it cannot hold is refused or documented."""

import tempfile
from pathlib import Path

import polars as pl
import pyreadstat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import columns, described_facts, frames, labelled, schema_of

import ammg
from ammg.data.attribute import Attribute, Kind
from ammg.errors import InputError
from ammg.io.spss import Spss

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8).map(str.rstrip)
NUMBERS = st.floats(allow_nan=False, min_value=-1.79e308, max_value=1.79e308)

SMALL = st.floats(allow_nan=False, allow_infinity=False, width=32)


def as_held(frame: pl.DataFrame) -> pl.DataFrame:
    """What SPSS can hold: empty text is missing, moments have milliseconds."""
    return frame.with_columns(
        pl.col(pl.String).replace("", None),
        pl.col(pl.Datetime).map_batches(
            lambda s: ((s.to_physical() / 1000).round().cast(pl.Int64) * 1000).cast(s.dtype)
        ),
    )


@settings(max_examples=60, deadline=None)
@given(frames({**columns(TEXT, largest=2**53), pl.Float64(): NUMBERS, pl.Float32(): SMALL}))
@pytest.mark.parametrize("suffix", ["sav", "zsav"])
def test_every_type_reads_back_as_it_was_written(suffix: str, frame: pl.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Spss().write(frame, schema_of(frame), f"{folder}/a.{suffix}")
        after = ammg.read(f"{folder}/a.{suffix}").table
    assert after.schema == frame.schema
    assert after.equals(as_held(frame))


def test_the_file_itself_holds_labels_codes_measures_and_formats(tmp_path: Path) -> None:
    frame, schema = labelled()
    Spss().write(frame, schema, str(tmp_path / "survey.sav"))
    (tmp_path / "survey.codebook.yaml").unlink()
    after = ammg.read(tmp_path / "survey.sav")
    assert described_facts(after.schema) == described_facts(schema)
    assert after.table.dtypes == frame.dtypes


def test_user_missing_codes_of_others_are_missing_and_their_definition_stays(tmp_path: Path) -> None:
    frame = pl.DataFrame({"age": [20.0, 99.0, 95.0, 998.0], "answer": ["y", "n", "x", "y"]})
    pyreadstat.write_sav(
        frame,
        str(tmp_path / "a.sav"),
        missing_ranges={"age": [{"lo": 90, "hi": 99}, 998], "answer": ["x"]},
        variable_value_labels={"age": {99.0: "unknown"}, "answer": {"x": "refused"}},
        variable_measure={"age": "ordinal"},
    )
    data = ammg.read(tmp_path / "a.sav")
    assert data.table.rows() == [(20, "y"), (None, "n"), (None, None), (None, "y")]
    assert data.schema["age"].missing_codes == ((90, 99), 998)
    assert data.schema["age"].value_labels == {99: "unknown"}
    assert data.schema["age"].kind is Kind.ORDINAL
    kept = ammg.read(tmp_path / "a.sav", user_missing=True)
    assert kept.table["age"].to_list() == [20, 99, 95, 998]


def test_portable_files_are_read(tmp_path: Path) -> None:
    frame = pl.DataFrame({"AGE": [20.0, None], "TEXT": ["abc", ""]})
    pyreadstat.write_por(frame, str(tmp_path / "a.por"), column_labels={"AGE": "Age"})
    data = ammg.read(tmp_path / "a.por")
    assert data.table.rows() == [(20.0, "abc"), (None, None)]
    assert data.schema["AGE"].label == "Age"


def test_dates_of_others_are_dates(tmp_path: Path) -> None:
    import datetime as dt

    frame = pl.DataFrame({"d": [dt.date(1583, 1, 1), dt.date(2024, 2, 29)], "t": [dt.datetime(2024, 2, 29, 12), None]})
    pyreadstat.write_sav(frame, str(tmp_path / "a.sav"))
    assert ammg.read(tmp_path / "a.sav").table.equals(frame)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([2**53 + 1], "9007199254740993.*2\\^53"),
        ([float("inf")], "outside the numbers of SPSS"),
        (["a\0b"], "NUL character"),
        ([[1, 2]], "cannot hold"),
    ],
)
def test_what_spss_would_change_is_refused(tmp_path: Path, values: list, message: str) -> None:
    frame = pl.DataFrame({"x": values})
    with pytest.raises(InputError, match=message):
        Spss().write(frame, schema_of(frame), str(tmp_path / "a.sav"))
    assert not list(tmp_path.iterdir())


def test_a_name_that_spss_does_not_allow_is_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"two words": [1]})
    with pytest.raises(InputError, match="'two words' contains a space"):
        Spss().write(frame, schema_of(frame), str(tmp_path / "a.sav"))


def test_a_file_that_is_not_spss_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.sav").write_bytes(b"not SPSS" * 100)
    with pytest.raises(InputError, match="cannot be read as SPSS"):
        ammg.read(tmp_path / "a.sav")


def test_labels_travel_from_spss_through_masking_to_stata(tmp_path: Path) -> None:
    frame, schema = labelled()
    Spss().write(frame, schema, str(tmp_path / "a.sav"))
    data = ammg.read(tmp_path / "a.sav").with_roles(confidential=["income"])
    masked = ammg.Pipeline([ammg.Rounding(columns=["income"], base=100)]).run(data, secret="x" * 32)
    masked.release().write(tmp_path / "b.dta")
    after = ammg.read(tmp_path / "b.dta").schema
    assert after["sex"].label == "Sex of the réspondent"
    assert after["sex"].value_labels == {1: "male", 2: "female", 9: "refused"}
    assert after["sex"].missing_codes == (9,)
    assert after["region"].value_labels == {"N": "North", "S": "South"}


def test_labels_of_suppressed_values_do_not_reach_the_masked_file(tmp_path: Path) -> None:
    frame = pl.DataFrame({"job": [1, 1, 2]})
    job = Attribute(name="job", kind=Kind.NOMINAL, value_labels={1: "clerk", 2: "the mayor"})
    Spss().write(frame, schema_of(frame, job), str(tmp_path / "a.sav"))
    data = ammg.read(tmp_path / "a.sav")
    few = ammg.Microdata(data.table.head(2), data.schema)
    released = ammg.Pipeline([]).run(few).release(force="a file of two records, to see its labels")
    for target in ("b.sav", "b.dta", "b.csv", "b.parquet", "b.xpt"):
        released.write(tmp_path / target)
    for path in tmp_path.glob("b.*"):
        assert b"mayor" not in path.read_bytes(), path.name
