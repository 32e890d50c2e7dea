"""Speed of the perturbative kernels, each against a baseline measured in the same run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import polars as pl

import ammg
from ammg.draws import Draws, Secret
from ammg.engines.local import LocalEngine
from ammg.kernels.noise.exact_noise import exact_correlated
from ammg.kernels.noise.mixture_noise import mixture_means, mixture_variates
from ammg.kernels.noise.romm import rotate_records
from ammg.kernels.psd import psd_factor
from ammg.kernels.ranks.rank_swap import swap_ranks, swap_ranks_buckets, swap_ranks_normal
from ammg.kernels.ranks.resampling import resample_ranks
from ammg.kernels.ranks.shuffle import shuffle_columns

RECORDS, COLUMNS = 1_000_000, 10


def median_seconds(work: Callable[[], object], repeats: int = 5) -> float:
    def once() -> float:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start

    work()  # compile and warm up
    return statistics.median(once() for _ in range(repeats))


def report(figure: str, seconds: float, baseline: str, base_seconds: float, limit: float | None) -> None:
    bound = "" if limit is None else f" (limit {limit:g})"
    print(f"{figure}: {seconds:.2f} s = {seconds / base_seconds:.2f} x {baseline} {base_seconds:.2f} s{bound}")


def rank_methods_against_a_stable_sort() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.lognormal(size=RECORDS) for _ in range(COLUMNS)]
    base = median_seconds(lambda: [np.argsort(column, kind="stable") for column in columns])
    reach = RECORDS // 20
    for name, work, limit in (
        ("rank swapping", lambda: [swap_ranks(c, reach, rng) for c in columns], 4),
        ("rank swapping, p-distribution", lambda: [swap_ranks_normal(c, reach, rng) for c in columns], 4),
        ("rank swapping, p-buckets", lambda: [swap_ranks_buckets(c, reach, rng) for c in columns], 4),
        ("resampling, one sample", lambda: [resample_ranks(c, 1, rng) for c in columns], 4),
    ):
        report(f"{name}, 1 million x 10", median_seconds(work), "np.argsort(kind='stable')", base, limit)


def noise_against_drawing_its_variates() -> None:
    rng = np.random.default_rng(1)
    records = rng.lognormal(size=(RECORDS, COLUMNS))
    factor = psd_factor(np.cov(records, rowvar=False))
    draw = median_seconds(lambda: rng.standard_normal(records.shape))
    correlated = median_seconds(lambda: records + np.sqrt(0.1) * rng.standard_normal(records.shape) @ factor.T)
    report("correlated noise, 1 million x 10", correlated, "drawing the normals", draw, 3)
    weights = np.array([0.5, 0.5])
    means = mixture_means(weights, 0.025)
    draw = median_seconds(lambda: (rng.random(records.shape), rng.standard_normal(records.shape)))
    mixture = median_seconds(
        lambda: mixture_variates(rng.random(records.shape), rng.standard_normal(records.shape), means, weights, 0.025)
    )
    report("mixture variates, 1 million x 10", mixture, "drawing uniforms and normals", draw, 3)
    draw = median_seconds(lambda: rng.standard_normal(records.shape))
    exact = median_seconds(lambda: exact_correlated(rng.standard_normal(records.shape), records), repeats=1)
    report("exact correlated noise, 1 million x 10", exact, "drawing the normals", draw, None)


def noise_methods_against_drawing_their_variates() -> None:
    """Whole pipelines with one thread, against the secret's own generator filling the same columns."""
    rng = np.random.default_rng(3)
    names = [f"x{j}" for j in range(COLUMNS)]
    data = ammg.Microdata(pl.DataFrame(rng.lognormal(size=(RECORDS, COLUMNS)), schema=names))
    draws, ids = Draws(Secret.of(1)), np.arange(RECORDS)
    normals = median_seconds(lambda: [draws.normal(ids, name) for name in names])
    uniforms = median_seconds(lambda: [draws.uniform(ids, name) for name in names])
    for method, base in (
        (ammg.AdditiveNoise(), normals),
        (ammg.AdditiveNoise(law="laplace"), uniforms),
        (ammg.CorrelatedNoise(), normals),
        (ammg.MixtureNoise(), normals + uniforms),
        (ammg.MultiplicativeNoise(), normals),
        (ammg.RandomRounding(base=5), uniforms),
    ):
        seconds = median_seconds(lambda method=method: ammg.Pipeline([method]).run(data, 1, LocalEngine(1)).table)
        report(f"{method!r}, 1 million x 10", seconds, "drawing its variates", base, 3)


def rotation_and_shuffling_in_seconds() -> None:
    rng = np.random.default_rng(2)
    records = rng.lognormal(size=(100_000, 6))
    sort = median_seconds(lambda: np.argsort(records, axis=0, kind="stable"))
    rotation = median_seconds(lambda: rotate_records(records, 1.0, rng))
    report("ROMM, 100,000 x 6", rotation, "np.argsort(kind='stable')", sort, None)
    shuffled = median_seconds(lambda: shuffle_columns(records, rng))
    report("shuffling, 100,000 x 6", shuffled, "np.argsort(kind='stable')", sort, None)


if __name__ == "__main__":
    rank_methods_against_a_stable_sort()
    noise_against_drawing_its_variates()
    noise_methods_against_drawing_their_variates()
    rotation_and_shuffling_in_seconds()
