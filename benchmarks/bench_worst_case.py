"""How long `worst_case` takes, and how many processors it uses: `python benchmarks/bench_worst_case.py`.

Every attack that applies, replays of the recipe among them, with all columns known and compiled code in the cache.
CENSUS is looked for in the folder `shared` beside the checkout.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import polars as pl

import ammg
from ammg.data.scenario import Scenario

CENSUS = Path(__file__).parents[2] / "shared" / "data" / "CENSUS.csv"
STEPS = {
    "correlated noise, d = 0.1": ammg.CorrelatedNoise(d=0.1),
    "rank swapping, p = 10": ammg.RankSwapping(p=10),
    "MDAV, k = 5": ammg.MDAV(k=5),
}


def log_normal(n: int, m: int) -> pl.DataFrame:
    rng = np.random.default_rng(n)
    return pl.DataFrame({f"x{j}": np.exp(rng.normal(size=n)) for j in range(m)})


def measured(table: pl.DataFrame, step: ammg.Method) -> str:
    data = ammg.Microdata(table).with_roles(confidential=table.columns)
    pair = ammg.Pipeline([step]).run(data, 1).pair
    started, used = time.perf_counter(), time.process_time()
    value = ammg.WorstCase().measure(pair, Scenario()).value
    seconds = time.perf_counter() - started
    return f"{seconds:7.1f} s, {(time.process_time() - used) / seconds:.2f} processors, found {value:.3f}"


def main() -> None:
    files = {"log-normal numbers, 10,000 x 10": log_normal(10_000, 10), "100,000 x 6": log_normal(100_000, 6)}
    if CENSUS.exists():
        files = {"CENSUS, 1,080 x 13": pl.read_csv(CENSUS), **files}
    for step in STEPS.values():
        measured(log_normal(500, 13), step)  # compiles what all need
    for label, table in files.items():
        for name, step in list(STEPS.items())[: 1 if len(table) > 10_000 else None]:
            print(f"{label:<32} {name:<28} {measured(table, step)}", flush=True)


if __name__ == "__main__":
    main()
