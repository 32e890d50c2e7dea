"""Time and memory of simulating the household survey: `python benchmarks/bench_survey.py [rows]`.

The baseline is what no simulation of the same columns can do without: one uniform number per cell.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np

from ammg.datasets import SURVEY_ROLES, survey


def bare_draws(rows: int) -> float:
    rng = np.random.Generator(np.random.PCG64(0))
    start = time.perf_counter()
    for _ in SURVEY_ROLES:
        rng.random(rows)
    return time.perf_counter() - start


def simulate(rows: int) -> None:
    survey(1_000)  # polars and the tables of shares are loaded before the clock starts
    baseline = bare_draws(rows)
    start = time.perf_counter()
    frame = survey(rows)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"survey({rows:,}): {seconds:.1f} s")
    print(f"ratio to one uniform draw per cell ({baseline:.1f} s): {seconds / baseline:.1f}")
    print(f"frame {frame.estimated_size() / 2**30:.2f} GiB, peak of the process {peak:.2f} GiB")


if __name__ == "__main__":
    simulate(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000)
