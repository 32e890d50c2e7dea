"""Cells that are too many for memory are counted part by part, on disk, and give the same."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import CHUNK
from ammg.measures.anonymity import folded_key
from ammg.summaries import spilled_cells
from ammg.summaries.cells import CellValues

MEASURES = [ammg.Frequency(), ammg.KAnonymity(k=4), ammg.KAnonymity(k=4, missing="category")]


def with_roles(data: ammg.Microdata) -> ammg.Microdata:
    return data.with_roles(key=["age", "town", "pay"], weight="w")


@pytest.mark.parametrize("lacking", [0.0, 0.02])
def test_cells_on_disk_measure_as_cells_in_memory_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lacking: float
) -> None:
    rng = np.random.default_rng(6)
    n = 2 * CHUNK + 4_000
    gone = pl.Series(rng.random(n) < lacking)
    table = pl.DataFrame(
        {
            "age": rng.integers(0, 99, n),
            "town": pl.Series(rng.choice(["East", "West", "North"], n)).set(gone.shuffle(1), None),
            "pay": pl.Series(np.where(rng.random(n) < 0.5, 0.5, np.round(rng.lognormal(6, 1, n), 1))).set(gone, None),
            "w": rng.integers(1, 5, n).astype(float),
        }
    )
    table.write_parquet(tmp_path / "in.parquet")
    here = [m.measure(ammg.Pipeline([]).run(with_roles(ammg.Microdata(table))).pair, ammg.Scenario()) for m in MEASURES]
    monkeypatch.setattr(folded_key, "MOST_IN_MEMORY", 3_000)
    monkeypatch.setattr(spilled_cells, "MOST_IN_MEMORY", 3_000)
    largest = watch(monkeypatch)
    found = ammg.evaluate(with_roles(ammg.read(tmp_path / "in.parquet", stream=True)), MEASURES)
    assert 0 < max(largest) < 20_000
    for label, expected in zip(found, here, strict=True):
        assert found[label].value == expected.value
        for name, fact in expected.facts.items():
            assert found[label].facts[name] == (pytest.approx(fact, rel=1e-12) if isinstance(fact, float) else fact)
        assert found[label].tables == expected.tables
        assert found[label].charts == expected.charts


def watch(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of cells that were read from disk at a time."""
    seen: list[int] = []
    read = spilled_cells._read

    def noted(rows: np.ndarray, width: int) -> CellValues:
        seen.append(len(rows))
        return read(rows, width)

    monkeypatch.setattr(spilled_cells, "_read", noted)
    return seen
