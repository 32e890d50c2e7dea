"""A Parquet file in chunks: whatever its row groups and files, and never more of it than a few chunks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ammg
from ammg.data.encoding import ID
from ammg.data.parquet_table import ParquetTable
from ammg.draws import CHUNK


@pytest.fixture(scope="module")
def table() -> pl.DataFrame:
    rows = 2 * CHUNK + 999
    level = pl.Series(np.where(np.arange(rows) % 3 == 0, "low", "high"), dtype=pl.Enum(["low", "high"]))
    return pl.DataFrame({"x": np.arange(rows, dtype=float), "level": level})


@settings(max_examples=8, deadline=None)
@given(groups=st.integers(5_000, 200_000), cut=st.integers(0, 2 * CHUNK))
def test_chunks_are_consecutive_records_whatever_the_files_look_like(
    table: pl.DataFrame, tmp_path_factory: pytest.TempPathFactory, groups: int, cut: int
) -> None:
    folder = tmp_path_factory.mktemp("parts")
    table.head(cut).write_parquet(folder / "a.parquet", row_group_size=groups)
    table.slice(cut).write_parquet(folder / "b.parquet", row_group_size=groups)
    (folder / "_SUCCESS").touch()
    streamed = ParquetTable(folder)
    frames = list(streamed.chunks())
    assert [len(frame) for frame in frames] == [CHUNK, CHUNK, 999]
    together = pl.concat(frames)
    assert together.drop(ID).equals(table)
    assert together[ID].to_list() == list(range(len(table)))
    assert streamed.height == len(table)
    assert streamed.read().equals(table)
    assert streamed.head(3).equals(table.head(3))


def test_ids_alone_and_single_columns_can_be_read(table: pl.DataFrame, tmp_path: Path) -> None:
    table.write_parquet(tmp_path / "x.parquet")
    streamed = ParquetTable(tmp_path / "x.parquet")
    assert [frame.shape for frame in streamed.chunks([])] == [(CHUNK, 1), (CHUNK, 1), (999, 1)]
    assert [frame.columns for frame in streamed.chunks(["level"])] == 3 * [["level", ID]]
    assert sorted(streamed.distinct("level").to_list()) == ["high", "low"]


def test_what_was_read_does_not_stay_in_memory(table: pl.DataFrame, tmp_path: Path) -> None:
    wide = table.select(pl.col("x").alias(f"x{i}") + i for i in range(8))
    pl.concat([wide] * 6).write_parquet(tmp_path / "x.parquet", row_group_size=50_000, compression="uncompressed")
    before = pa.total_allocated_bytes()
    most = max(pa.total_allocated_bytes() - before for _ in ParquetTable(tmp_path / "x.parquet").chunks())
    assert most < 6 * CHUNK * 8 * 8  # some chunks of 8 columns, of a file that has twelve


def test_a_folder_without_files_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ammg.AmmgError, match="no Parquet files"):
        _ = ParquetTable(tmp_path).height
