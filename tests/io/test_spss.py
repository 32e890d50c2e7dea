"""SPSS keeps values, labels, user-missing codes, measures and formats; what it cannot hold is refused or documented."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
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
    assert data.missing_reasons.rows() == [(None, None), (99, None), (95, "x"), (998, None)]
    assert ammg.read(tmp_path / "a.sav", user_missing=False).missing_reasons.is_empty()


@pytest.fixture
def refusals(tmp_path: Path) -> Path:
    """Incomes of which some are refused (-9) or not known (-8)."""
    rng = np.random.default_rng(1)
    income = np.where(rng.random(400) < 0.2, rng.choice([-9.0, -8.0], 400), rng.lognormal(8, 1, 400).round())
    pyreadstat.write_sav(
        pl.DataFrame({"income": income, "sex": rng.integers(1, 3, 400).astype(float)}),
        str(tmp_path / "survey.sav"),
        file_label="Household survey",
        missing_ranges={"income": [-9, -8]},
        variable_value_labels={"income": {-9.0: "Refused", -8.0: "Don't know"}, "sex": {1.0: "male", 2.0: "female"}},
    )
    return tmp_path / "survey.sav"


def released(steps: list[ammg.Method], source: Path) -> tuple[pl.DataFrame, Any]:
    data = ammg.read(source).with_roles(key="sex", confidential="income")
    target = source.with_name("masked.sav")
    ammg.Pipeline(steps).run(data, secret=1).release().write(target)
    target.with_name("masked.codebook.yaml").unlink()
    return pyreadstat.read_sav(str(target), user_missing=True, output_format="polars")


def test_codes_for_missing_values_are_masked_by_nothing_and_leave_with_their_labels(refusals: Path) -> None:
    before, _ = pyreadstat.read_sav(str(refusals), user_missing=True, output_format="polars")
    after, meta = released([ammg.UnivariateMicroaggregation(columns=["income"], k=3)], refusals)
    for code in (-9, -8):
        assert (after["income"] == code).sum() == (before["income"] == code).sum()
    known = after["income"].filter(~after["income"].is_in([-9.0, -8.0]))
    assert known.min() > 0  # no mean of codes
    assert meta.missing_ranges["income"] == [{"lo": -9.0, "hi": -9.0}, {"lo": -8.0, "hi": -8.0}]
    assert meta.variable_value_labels["income"] == {-9.0: "Refused", -8.0: "Don't know"}
    assert meta.file_label == "Household survey"


def test_recoded_numbers_stay_codes_with_value_labels(refusals: Path) -> None:
    after, meta = released([ammg.GlobalRecoding(columns=["income"], cuts=[2000, 4000])], refusals)
    assert set(after["income"].to_list()) == {1, 2, 3, -8, -9}
    labels = meta.variable_value_labels["income"]
    assert labels == {1: "< 2000", 2: "[2000, 4000)", 3: "≥ 4000", -9: "Refused", -8: "Don't know"}
    assert len(meta.missing_ranges["income"]) == 2


def test_codes_of_recoded_numbers_are_categories_again_when_they_are_read(refusals: Path) -> None:
    data = ammg.read(refusals).with_roles(key="sex", confidential="income")
    release = ammg.Pipeline([ammg.GlobalRecoding(columns=["income"], cuts=[2000])]).run(data, secret=1).release()
    release.write(refusals.with_name("masked.sav"))
    again = ammg.read(refusals.with_name("masked.sav"))
    assert again.table["income"].drop_nulls().unique().sort().to_list() == ["< 2000", "≥ 2000"]
    assert again.schema["income"].value_labels == {"-9": "Refused", "-8": "Don't know"}
    assert again.missing_reasons["income"].drop_nulls().cast(pl.String).value_counts()["count"].sum() > 50


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
        ([float("inf")], "outside the range of SPSS"),
        (["a\0b"], "NUL character"),
        ([[1, 2]], "cannot store"),
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


def test_more_codes_than_spss_has_room_for_are_a_range_where_nothing_else_lies_between(tmp_path: Path) -> None:
    values = [-9, -8, -7, -6, *range(100, 160)]
    data = ammg.Microdata(pl.DataFrame({"income": values, "age": [30, 40] * 32}))
    data = data.with_missing_codes(income=[-9, -8, -7, -6])
    masked = ammg.Pipeline([ammg.RankSwapping(columns=["income"], p=20)]).run(data, secret=1)
    masked.release().write(tmp_path / "out.sav")
    _, meta = pyreadstat.read_sav(tmp_path / "out.sav", user_missing=True)
    assert meta.missing_ranges["income"] == [{"lo": -9.0, "hi": -6.0}]
