"""What linkage and interval disclosure cost: run with `python benchmarks/bench_linkage.py [figure ...]`."""

from __future__ import annotations

import resource
import sys
import time
from statistics import median

import numpy as np
import polars as pl

import ammg
from ammg.kernels.inference.interval_disclosure import deviation_intervals, rank_intervals
from ammg.kernels.linkage.comparison import compare
from ammg.kernels.linkage.field_weights import equal_weights
from ammg.kernels.linkage.nearest import nearest_credit
from ammg.kernels.linkage.pair_scores import best_candidates
from ammg.kernels.matching.assignment import assign_by_prices
from ammg.kernels.matching.nearest_assignment import assign_nearest
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


def one_to_one(n: int = 100_000) -> None:
    """One-to-one links of numbers with noise, and of long-tailed numbers after rank swapping."""
    assign_nearest(*noisy(np.random.default_rng(0).normal(size=(2_000, 6))))  # compiles
    rng = np.random.default_rng(1)
    normal, log_normal = rng.normal(size=(n, 6)), np.exp(rng.normal(size=(n, 6)))
    files = {"normal, noise": noisy(normal, 0.5), "log-normal, noise": noisy(log_normal, 0.3)}
    files["log-normal, ranks moved by at most 10 %"] = log_normal, shifted_ranks(log_normal, 0.1)
    for label, (original, masked) in files.items():
        scale = original.std(axis=0)
        started, used = time.perf_counter(), time.process_time()
        found = assign_nearest(original / scale, masked / scale)
        taken = time.perf_counter() - started
        cores = (time.process_time() - used) / taken
        right = (found.links == np.arange(n)).mean()
        print(f"one to one {n:,} × 6, {label}: {taken:.1f} s, {cores:.2f} processors, {right:.4f} right")


def noisy(original: np.ndarray, share: float = 0.5, seed: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return original, original + share * original.std(axis=0) * rng.normal(size=original.shape)


def shifted_ranks(original: np.ndarray, reach: float, seed: int = 2) -> np.ndarray:
    rng, masked = np.random.default_rng(seed), np.empty_like(original)
    for j, column in enumerate(original.T):
        order = np.argsort(column)
        moved = np.argsort(np.arange(len(column)) + rng.uniform(0, reach * len(column), len(column)))
        masked[order, j] = column[order[moved]]
    return masked


def missing_values(n: int = 300_000) -> None:
    """Linkage and target units by five keys, a tenth of the values missing, two keys changed by PRAM."""
    for records in (2_000, n):  # the first also compiles
        rng = np.random.default_rng(0)
        codes = {f"k{j}": rng.integers(0, size, records) for j, size in enumerate((2, 8, 90, 12, 30))}
        gaps = [pl.when(pl.Series(rng.random(records) > 0.1)).then(pl.col(name)).alias(name) for name in codes]
        data = ammg.Microdata(pl.DataFrame(codes).with_columns(gaps)).with_kinds(dict.fromkeys(codes, "nominal"))
        data = data.with_roles(dict.fromkeys(codes, "key"))
        pair = ammg.Pipeline([ammg.Pram(columns=["k1", "k3"], stay=0.8)]).run(data, 1).pair
        files = pair.original, pair.masked, pair.link, pair.published
        for name in ("distance_linkage", "target_unit"):
            taken = seconds(lambda name=name, files=files: ammg.evaluate(ammg.Pair(*files), [name], before=False))
            if records == n:
                print(f"{name}, {n:,} records with missing values: {taken:.2f} s")


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


FIGURES = {
    f.__name__: f for f in (distance_linkage, interval_disclosure, missing_values, one_to_one, probabilistic_linkage)
}

if __name__ == "__main__":
    for name in sys.argv[1:] or FIGURES:
        FIGURES[name]()
