"""Excel keeps values and, with its codebook, types and labels; what it would change is refused or documented."""

import datetime as dt
import math
import tempfile
from pathlib import Path

import polars as pl
import pytest
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import columns, described_facts, frames, labelled, schema_of

import ammg
from ammg.errors import InputError
from ammg.io.excel import Excel, as_cells

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=8)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: float(f"{x:.15g}")).filter(math.isfinite)
KINDS = {**columns(TEXT | st.sampled_from(["007", "=1+1", "http://x", "NA"]), largest=10**15), pl.Float64(): NUMBERS}
KINDS |= {pl.Float32(): st.floats(-(2.0**40), 2.0**40, width=32)}
KINDS |= {pl.Time(): st.times(), pl.Datetime("us", "Europe/Amsterdam"): st.datetimes(dt.datetime(1950, 1, 1))}


def as_held(frame: pl.DataFrame) -> pl.DataFrame:
    """What Excel can hold: empty text is missing, moments that it has itself are kept to the millisecond."""
    held = as_cells(frame)
    rounded = [name for name, dtype in held.schema.items() if dtype == pl.Datetime]
    return frame.with_columns(pl.col(pl.String).replace("", None)).with_columns(
        held[name].cast(pl.Datetime("us")) for name in rounded
    )


@settings(max_examples=60, deadline=None)
@given(frames(KINDS))
def test_every_type_reads_back_as_it_was_written(frame: pl.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Excel().write(frame, schema_of(frame), f"{folder}/a.xlsx")
        after = ammg.read(f"{folder}/a.xlsx").table
    assert after.schema == frame.schema
    assert after.equals(as_held(frame))


def test_labels_read_back_through_the_codebook(tmp_path: Path) -> None:
    frame, schema = labelled()
    Excel().write(frame, schema, str(tmp_path / "survey.xlsx"))
    assert described_facts(ammg.read(tmp_path / "survey.xlsx").schema) == described_facts(schema)


def test_a_sheet_is_chosen_by_its_name(tmp_path: Path) -> None:
    book = xlsxwriter.Workbook(str(tmp_path / "a.xlsx"))
    for name, value in (("first", 1), ("second", 2)):
        book.add_worksheet(name).write_column(0, 0, ["x", value])
    book.close()
    assert ammg.read(tmp_path / "a.xlsx").table["x"].to_list() == [1]
    assert ammg.read(tmp_path / "a.xlsx", sheet="second").table["x"].to_list() == [2]
    with pytest.raises(InputError, match="no sheet 'secnd'. Did you mean 'second'".replace(".", r"\.")):
        ammg.read(tmp_path / "a.xlsx", sheet="secnd")


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    book = xlsxwriter.Workbook(str(tmp_path / "a.xlsx"))
    sheet = book.add_worksheet()
    sheet.write_row(0, 0, ["a", "a"])
    sheet.write_row(1, 0, [1, 2])
    book.close()
    with pytest.raises(InputError, match="two columns called 'a'"):
        ammg.read(tmp_path / "a.xlsx")


@pytest.mark.parametrize(
    ("values", "message"),
    [([10**15 + 1], "beyond 10"), ([float("inf")], "infinite"), (["x" * 40_000], "32,767")],
)
def test_what_excel_would_change_is_refused(tmp_path: Path, values: list, message: str) -> None:
    frame = pl.DataFrame({"x": values})
    with pytest.raises(InputError, match=message):
        Excel().write(frame, schema_of(frame), str(tmp_path / "a.xlsx"))
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_not_excel_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"not Excel" * 10)
    with pytest.raises(InputError, match="cannot be read as Excel"):
        ammg.read(tmp_path / "a.xlsx")
