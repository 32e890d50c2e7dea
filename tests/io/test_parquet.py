"""Parquet keeps values, types and labels, whole or streamed."""

import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import columns, described_facts, frames, labelled, schema_of

import ammg
from ammg.errors import InputError
from ammg.io.parquet import Parquet


@settings(max_examples=40, deadline=None)
@given(frames({**columns(), pl.Categorical(): st.text(max_size=3), pl.List(pl.Int8()): st.lists(st.integers(0, 9))}))
def test_every_type_reads_back_as_it_was_written(frame: pl.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Parquet().write(frame, schema_of(frame), f"{folder}/a.parquet")
        after = ammg.read(f"{folder}/a.parquet").table
    assert after.schema == frame.schema
    assert after.equals(frame)


@pytest.mark.parametrize("stream", [False, True])
def test_labels_are_in_the_file_itself(tmp_path: Path, stream: bool) -> None:
    frame, schema = labelled()
    Parquet().write(frame, schema, str(tmp_path / "survey.parquet"))
    after = ammg.read(tmp_path / "survey.parquet", stream=stream)
    assert described_facts(after.schema) == described_facts(schema)
    assert [path.name for path in tmp_path.iterdir()] == ["survey.parquet"]


def test_a_codebook_beside_a_file_of_others_is_used(tmp_path: Path) -> None:
    pl.DataFrame({"x": [1]}).write_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.codebook.yaml").write_text("variables: [{name: x, label: An x, kind: nominal}]")
    assert ammg.read(tmp_path / "a.parquet").schema["x"].label == "An x"


@settings(max_examples=40, deadline=None)
@given(st.floats(0.01, 0.99), st.booleans())
def test_a_truncated_file_is_refused(share: float, stream: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.parquet"
        frame, schema = labelled()
        Parquet().write(frame, schema, str(path))
        content = path.read_bytes()
        path.write_bytes(content[: max(1, int(share * len(content)))])
        with pytest.raises(InputError, match="cannot be read as Parquet"):
            ammg.read(path, stream=stream)


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), tmp_path / "a.parquet")
    with pytest.raises(InputError, match="'a' has more than one occurrence"):
        ammg.read(tmp_path / "a.parquet")


def test_ten_thousand_columns_read_back(tmp_path: Path) -> None:
    frame = pl.DataFrame({f"c{i}": [i, None] for i in range(10_000)})
    Parquet().write(frame, schema_of(frame), str(tmp_path / "wide.parquet"))
    assert ammg.read(tmp_path / "wide.parquet").table.equals(frame)
