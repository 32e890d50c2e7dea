"""Speed and information loss of the microaggregation kernels, each figure against a baseline of the same run.

Run all: `python benchmarks/bench_microaggregation.py`; some: name the functions.
"""

import sys
import time

import numpy as np


def seconds(work, repetitions=5):
    times = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return float(np.median(times))


def univariate(n=1_000_000, columns=10):
    """Univariate microaggregation of 1 million x 10 against a stable argsort of those columns: at most 4."""
    from ammg.kernels.univariate_groups import microaggregate_column

    data = np.random.default_rng(0).lognormal(size=(columns, n))
    microaggregate_column(data[0, :100].copy(), 3)
    baseline = seconds(lambda: [np.argsort(column, kind="stable") for column in data])
    for k in (3, 10, 30, 100):
        for optimal in (False, True):
            spent = seconds(
                lambda k=k, optimal=optimal: [microaggregate_column(c, k, optimal=optimal) for c in data], 3
            )
            kind = "optimal" if optimal else "fixed size"
            print(f"univariate {kind}, k={k}: {spent:.2f} s, {spent / baseline:.2f} x argsort ({baseline:.2f} s)")


FIGURES = [univariate]

if __name__ == "__main__":
    for figure in FIGURES:
        if len(sys.argv) == 1 or figure.__name__ in sys.argv[1:]:
            figure()
