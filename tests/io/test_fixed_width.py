"""Fixed-width text keeps values and types by its layout; blanks are missing."""

import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import columns, described_facts, frames, labelled, schema_of

import ammg
from ammg.errors import InputError
from ammg.io.fixed_width import FixedWidth

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=8).map(lambda x: x.strip(" "))


@settings(max_examples=60, deadline=None)
@given(frames(columns(TEXT | st.sampled_from(["007", "NA"]))))
def test_every_type_reads_back_as_it_was_written(frame: pl.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        FixedWidth().write(frame, schema_of(frame), f"{folder}/a.fwf")
        after = ammg.read(f"{folder}/a.fwf").table
    assert after.schema == frame.schema
    assert after.equals(frame.with_columns(pl.col(pl.String).replace("", None)))


def test_labels_read_back_through_the_codebook(tmp_path: Path) -> None:
    frame, schema = labelled()
    FixedWidth().write(frame, schema, str(tmp_path / "survey.dat"))
    assert described_facts(ammg.read(tmp_path / "survey.dat").schema) == described_facts(schema)


def test_a_file_of_others_is_cut_by_its_layout(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_bytes("001Zoë  0125\n002Ann 99    \n".encode("cp1252"))
    (tmp_path / "places.csv").write_text("name,start,end,decimals\nid,1,3,\nname,4,7,\nage,8,9,\nincome,9,12,2\n")
    table = ammg.read(tmp_path / "a.dat", layout=str(tmp_path / "places.csv")).table
    assert table["id"].to_list() == ["001", "002"]
    assert table["name"].to_list() == ["Zoë", "Ann"]


def test_decimals_that_are_not_written_are_put_back(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text("1250\n 399\n    \n")
    (tmp_path / "a.layout.csv").write_text("name,start,width,decimals\nprice,1,4,2\n")
    assert ammg.read(tmp_path / "a.dat").table["price"].to_list() == [12.5, 3.99, None]


@pytest.mark.parametrize(
    ("layout", "message"),
    [
        (None, "needs a layout"),
        ("name,start\na,1\n", "needs the columns name, start and width"),
        ("name,start,width\na,1,2\na,3,1\n", "two columns called 'a'"),
        ("name,start,width\na,0,2\n", "start and a width of at least 1"),
        ("name,start,width\na,1,9\n", "Line 1 of .* has 3 characters, but layout 'a.layout.csv' needs 9"),
    ],
)
def test_a_layout_that_does_not_fit_is_refused(tmp_path: Path, layout: str | None, message: str) -> None:
    (tmp_path / "a.dat").write_text("123\n")
    if layout is not None:
        (tmp_path / "a.layout.csv").write_text(layout)
    with pytest.raises(InputError, match=message):
        ammg.read(tmp_path / "a.dat")


def test_text_with_a_line_break_is_refused(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": ["a\nb"]})
    with pytest.raises(InputError, match="'x' has a line break"):
        FixedWidth().write(frame, schema_of(frame), str(tmp_path / "a.fwf"))
