"""Local suppression beside the exact optimum: `python benchmarks/bench_exact_suppression.py [tables] [seconds]`.

Random tables of 30 records and four keys, k = 2 and 3 in turn. The optimum is that of an integer program; one that is
not solved in the seconds given counts with the bound that is proven by then, which makes the excess look larger.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import polars as pl

import ammg

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "methods" / "suppression"))
from exact_suppression import least_cost, random_table

KEYS = ["a", "b", "c", "d"]


def main(tables: int, seconds: float) -> None:
    rng = np.random.default_rng(16)
    shares, slowest = [], 0.0
    for number in range(tables):
        codes, k = random_table(rng, 30), 2 + number % 2
        data = ammg.Microdata(pl.DataFrame(codes, schema=KEYS)).with_kinds(nominal=KEYS).with_roles(key=KEYS)
        masked = ammg.Pipeline([ammg.LocalSuppression(k=k)]).run(data, secret=1).table
        lost = sum(masked.null_count().row(0))
        start = time.perf_counter()
        best = least_cost(codes, k, seconds)
        slowest = max(slowest, time.perf_counter() - start)
        shares.append(lost / best if best else 1.0)
    excess = np.array(shares) - 1
    at_best = np.count_nonzero(excess < 1e-9)
    print(f"{tables} tables of 30 × 4: {100 * excess.mean():.2f} % above the optimum on average,")
    print(f"{100 * excess.max():.1f} % at most, {at_best} at the optimum; the slowest program took {slowest:.1f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100, float(sys.argv[2]) if len(sys.argv) > 2 else 300.0)
