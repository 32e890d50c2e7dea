"""Time of losses on a stream of 1 million × 17: `python benchmarks/bench_loss.py [rows]`.

Measures that add up, together, against reading both Parquet files (at most 15 times), and measures that sort against
stable argsorts of the numeric columns of both files (at most 4 a column).
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

import ammg
from ammg import registry
from ammg.data.parquet_table import ParquetTable

NUMBERS, CATEGORIES = 10, 7
ADDITIVE = [
    "cell_loss",
    "il1",
    "il1s",
    "il2",
    "il3",
    "il3r",
    "il4",
    "il5",
    "s0",
    "s1",
    "s2",
    "sum_of_squares_loss",
    "eigenvalue_distance",
    "average_absolute_distance",
    "relative_absolute_distance",
    "hellinger_distance",
    "contingency_table_distance",
    "cramers_v_difference",
    "entropy_loss",
    "mutual_information_loss",
    "non_uniform_entropy",
    "granularity",
    "switching_percentage",
    "suppressed_cells",
    "suppressed_records",
]
SORTING = ["kolmogorov_smirnov", "wasserstein_distance", "median_difference", "quantile_difference", "mad_difference"]


def main(rows: int) -> None:
    """Print both ratios."""
    table = _table(rows)
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("original.parquet", "masked.parquet")]
        table.write_parquet(paths[0])
        steps = [
            ammg.AdditiveNoise(columns=[f"x{number}" for number in range(NUMBERS)], p=0.3),
            ammg.Pram(columns=[f"c{number}" for number in range(CATEGORIES)]),
        ]
        ammg.Pipeline(steps).run(table, 1).table.write_parquet(paths[1])
        reading = _seconds(lambda: [pl.read_parquet(path) for path in paths])
        data = [ammg.Microdata(pl.read_parquet(path)) for path in paths]
        pair = lambda: ammg.Pair(*data, np.arange(rows))  # noqa: E731
        ammg.evaluate(ammg.Pair(*(ammg.Microdata(side.table[:1000]) for side in data), np.arange(1000)), ADDITIVE)
        additive = _seconds(lambda: ammg.evaluate(pair(), ADDITIVE))
        ratio = additive / reading
        print(f"{len(ADDITIVE)} measures that add up: {additive:.2f} s, {ratio:.1f} x reading ({reading:.2f} s)")
        streamed = ammg.Microdata(ParquetTable(paths[0]))
        folded = ammg.Pipeline(steps).run(streamed, 1)
        print(f"the same over a stream, masking included: {_seconds(lambda: ammg.evaluate(folded, ADDITIVE), 1):.2f} s")
        columns = [side.table[f"x{number}"].to_numpy() for side in data for number in range(NUMBERS)]
        sort = _seconds(lambda: [np.argsort(column, kind="stable") for column in columns]) / 2
        found = [name for name in SORTING if name in registry.units("measures")]
        sorting = _seconds(lambda: ammg.evaluate(pair(), found))
        ratio = sorting / sort
        print(f"{len(found)} measures that sort: {sorting:.2f} s, {ratio:.1f} x an argsort per column ({sort:.2f} s)")


def _table(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(1)
    common = rng.normal(size=rows)
    numbers = {f"x{number}": np.exp(1 + 0.5 * common + rng.normal(size=rows)) for number in range(NUMBERS)}
    words = {
        f"c{number}": np.array([f"w{word}" for word in range(3 + 2 * number)])[rng.integers(0, 3 + 2 * number, rows)]
        for number in range(CATEGORIES)
    }
    return pl.DataFrame(numbers | words)


def _seconds(work: Callable[[], object], times: int = 3) -> float:
    found = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return min(found)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
