"""Arrow IPC keeps values, types and labels."""

import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import columns, described_facts, frames, labelled, schema_of

import ammg
from ammg.errors import InputError
from ammg.io.arrow import Arrow


@settings(max_examples=40, deadline=None)
@given(frames({**columns(), pl.Categorical(): st.text(max_size=3), pl.List(pl.Int8()): st.lists(st.integers(0, 9))}))
def test_every_type_reads_back_as_it_was_written(frame: pl.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Arrow().write(frame, schema_of(frame), f"{folder}/a.arrow")
        after = ammg.read(f"{folder}/a.arrow").table
    assert after.schema == frame.schema
    assert after.equals(frame)


def test_labels_are_in_the_file_itself(tmp_path: Path) -> None:
    frame, schema = labelled()
    Arrow().write(frame, schema, str(tmp_path / "survey.feather"))
    after = ammg.read(tmp_path / "survey.feather")
    assert described_facts(after.schema) == described_facts(schema)


def test_a_file_of_polars_and_one_of_pandas_are_read(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": [1, None], "y": ["é", ""]})
    frame.write_ipc(tmp_path / "a.arrow")
    assert ammg.read(tmp_path / "a.arrow").table.equals(frame)
    frame.to_pandas().to_feather(tmp_path / "b.feather")
    assert ammg.read(tmp_path / "b.feather").table["y"].to_list() == ["é", ""]


def test_a_file_that_is_not_arrow_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.arrow").write_bytes(b"no arrow at all, just text of some length")
    with pytest.raises(InputError, match="cannot be read as Arrow IPC"):
        ammg.read(tmp_path / "a.arrow")


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    frame, schema = labelled()
    Arrow().write(frame, schema, str(tmp_path / "a.arrow"))
    (tmp_path / "a.arrow").write_bytes((tmp_path / "a.arrow").read_bytes()[:-20])
    with pytest.raises(InputError, match="cannot be read as Arrow IPC"):
        ammg.read(tmp_path / "a.arrow")
