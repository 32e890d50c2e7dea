"""Whatever is in a file, it is read or refused in one sentence."""

from __future__ import annotations

import random
import tempfile
from datetime import date
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from fuzzing import damaged, survivors

import ammg
from ammg import registry
from ammg.data.parquet_table import ParquetTable

TABLE = pl.DataFrame(
    {
        "name": ["Ann", "Bob", "Ünal", None, "Eve"] * 4,
        "age": [20, 31, None, 53, 64] * 4,
        "pay": [1.5, -2.25, 3e10, None, 0.0] * 4,
        "born": [date(1970, 1, 1), None, date(2001, 2, 3), date(1899, 12, 31), date(2020, 2, 29)] * 4,
        "sex": pl.Series(["f", "m", "f", None, "m"] * 4, dtype=pl.Enum(["f", "m"])),
    }
)
ENDINGS = ("csv", "tsv", "parquet", "arrow", "sav", "dta", "xpt", "xlsx", "dat")


@cache
def valid(ending: str) -> dict[str, bytes]:
    """A file that is read, and what is written beside it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a.{ending}"
        registry.format_for(str(path)).write(TABLE, ammg.Microdata(TABLE).schema, str(path))
        return {written.name: written.read_bytes() for written in sorted(Path(folder).iterdir())}


def a_damaged_file(rng: random.Random) -> None:
    ending = rng.choice(ENDINGS)
    with tempfile.TemporaryDirectory() as folder:
        files = valid(ending)
        wounded = rng.choice(sorted(files))
        for name, content in files.items():
            (Path(folder) / name).write_bytes(damaged(content, rng) if name == wounded else content)
        path = Path(folder) / f"a.{ending}"
        data = ammg.read(path)
        assert data.table.width == len(data.schema)
        if ending == "parquet":
            assert sum(len(part) for part in ParquetTable(path).chunks()) == len(data)
        if rng.random() < 0.1:
            assert len(ammg.analyze(data).attributes) == data.table.width


@pytest.mark.parametrize("block", range(8))
def test_damaged_files_are_read_or_refused(block: int) -> None:
    assert survivors(a_damaged_file, range(block * 100, block * 100 + 100)) == []


@pytest.mark.proof
@pytest.mark.parametrize("block", range(10))
def test_many_damaged_files_are_read_or_refused(block: int) -> None:
    assert survivors(a_damaged_file, range(10_000 + block * 100, 10_000 + block * 100 + 100)) == []
