"""What linkage and interval disclosure cost: run with `python benchmarks/bench_linkage.py [figure ...]`."""

from __future__ import annotations

import resource
import sys
import time
from statistics import median

import numpy as np

from ammg.kernels.inference.interval_disclosure import deviation_intervals, rank_intervals
from ammg.kernels.linkage.comparison import compare
from ammg.kernels.linkage.field_weights import equal_weights
from ammg.kernels.linkage.nearest import nearest_credit
from ammg.kernels.linkage.pair_scores import best_candidates
from ammg.kernels.matching.assignment import assign_by_prices
from ammg.kernels.noise.mixture_noise import mixture_means, mixture_variates
from ammg.kernels.psd import psd_factor

HALF = np.array([0.5, 0.5])


def zero_heavy_survey(n: int, m: int = 8, seed: int = 0) -> np.ndarray:
    """Incomes in whole units, a tenth to nine tenths of each column zero."""
    rng = np.random.default_rng(seed)
    incomes = np.round(rng.lognormal(9, 1.2, (n, m)))
    return np.where(rng.random((n, m)) < np.linspace(0.1, 0.9, m), 0.0, incomes)


def with_mixture_noise(values: np.ndarray, d: float, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    shape = values.shape
    variates = mixture_variates(rng.random(shape), rng.normal(size=shape), mixture_means(HALF, 0.025), HALF, 0.025)
    return values + np.sqrt(d) * variates @ psd_factor(np.cov(values.T)).T


def seconds(work, repeats: int = 1) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times)


def distance_linkage() -> None:
    """DLD of 100,000 × 6 and of a million × 6."""
    for n in (1_000, 100_000, 1_000_000):  # the first also compiles
        rng = np.random.default_rng(n)
        original = rng.normal(size=(n, 6))
        masked = original + 0.1 * rng.normal(size=(n, 6))
        taken = seconds(lambda a=original, b=masked: nearest_credit(a, b, np.arange(len(a))))
        print(f"distance linkage {n:>9,} × 6: {taken:6.2f} s")


def probabilistic_linkage(n: int = 59_315) -> None:
    """All pairs of a zero-heavy file the size of Kim-Winkler, and the one-to-one links."""
    weights = equal_weights(8)
    warm = zero_heavy_survey(500)
    best_candidates(compare(warm, warm, ["d"] * 8), weights, 20)
    original = zero_heavy_survey(n)
    masked = with_mixture_noise(original, 0.01)
    for metric in ("d", "l"):
        comparison = compare(original, masked, [metric] * 8)
        taken = seconds(lambda c=comparison: best_candidates(c, weights, 40))
        print(f"probabilistic linkage {n:,} × 8, {metric} metric: all pairs scored in {taken:.1f} s")
        start = time.perf_counter()
        found = assign_by_prices(
            lambda prices, c=comparison: best_candidates(c, weights, 40, prices),
            (n, n),
            float(weights.disagree.sum()) - 1,
        )
        taken = time.perf_counter() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        right = (found.links == np.arange(n)).mean()
        print(f"  one-to-one in {taken:.1f} s, {memory:.2f} GB, {right:.4f} right, gap {found.gap:.3g}")


def interval_disclosure() -> None:
    """RID and SDID of ten widths against a stable sort of the same columns."""
    rng = np.random.default_rng(0)
    original = rng.lognormal(size=(500_000, 4))
    masked = original * np.exp(0.1 * rng.normal(size=original.shape))
    rank_intervals(original[:100, 0], masked[:100, 0])
    sort = seconds(lambda: [np.argsort(column, kind="stable") for column in masked.T], 5)
    both = seconds(
        lambda: [(rank_intervals(x, z), deviation_intervals(x, z)) for x, z in zip(original.T, masked.T, strict=True)],
        5,
    )
    print(f"RID and SDID of 500,000 × 4: {both:.2f} s, {both / sort:.1f} times np.argsort(kind='stable')")


FIGURES = {f.__name__: f for f in (distance_linkage, interval_disclosure, probabilistic_linkage)}

if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name]()
