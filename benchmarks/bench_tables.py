"""Cost of tables beside one polars group-by: `python benchmarks/bench_tables.py [rows]`.

Ten million records by four attributes (10, 20, 5 and 3 categories: whole numbers, texts and an Enum), with all margins:
counts, weighted counts, sums with the largest contributions of each cell, and counts with record keys. Every figure is
the median of three runs, as a ratio to the group-by that counts or adds up in the same run.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import polars as pl

import ammg

NAMES = ["a", "b", "c", "d"]


def clock(work: Callable[[], object]) -> float:
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def main(rows: int) -> None:
    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "a": rng.integers(0, 10, rows),
            "b": rng.integers(0, 20, rows),
            "c": pl.Series(rng.integers(0, 5, rows)).cast(pl.String),
            "d": pl.Series(rng.choice(["x", "y", "z"], rows), dtype=pl.Enum(["x", "y", "z"])),
            "v": rng.random(rows),
            "w": 1 + rng.random(rows),
        }
    )
    data = ammg.Microdata(frame)
    weighted = data.with_roles(weight="w")
    counted = clock(lambda: frame.group_by(NAMES).agg(pl.len()))
    summed = clock(lambda: frame.group_by(NAMES).agg(pl.col("v").sum()))
    cases: dict[str, tuple[float, Callable[[], object]]] = {
        "counts": (counted, lambda: ammg.tabulate(data, NAMES[:2], NAMES[2:])),
        "weighted counts": (summed, lambda: ammg.tabulate(weighted, NAMES[:2], NAMES[2:])),
        "sums": (summed, lambda: ammg.tabulate(data, NAMES[:2], NAMES[2:], value="v")),
        "counts with keys": (counted, lambda: ammg.tabulate(data, NAMES[:2], NAMES[2:], secret=1)),
    }
    for name, (baseline, work) in cases.items():
        seconds = clock(work)
        print(f"{name:<17} {seconds:6.2f} s, {seconds / baseline:.2f} × one group-by ({baseline:.2f} s)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
