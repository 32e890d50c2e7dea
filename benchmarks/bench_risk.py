"""Cost of the risk kernels on a million records of the simulated survey: `python benchmarks/bench_risk.py [rows]`.

Baselines are measured in the same run: one polars group-by (or group-by and join) over the same integer codes. With
`--truth`, also the error and the coverage of log-linear risk on 20 samples whose population is known.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from itertools import combinations

import numpy as np
import polars as pl

from ammg.datasets import survey
from ammg.kernels.anonymity.cells import count_cells
from ammg.kernels.anonymity.suda import special_uniques
from ammg.kernels.anonymity.wildcards import count_matches
from ammg.kernels.population.household_risk import household_risk
from ammg.kernels.population.individual_risk import approximate_risk, negative_binomial_risk
from ammg.kernels.population.log_linear.corrected import corrected_goodness, prepare_design
from ammg.kernels.population.log_linear.intervals import uncertainty
from ammg.kernels.population.log_linear.ipf import fit_model
from ammg.kernels.population.log_linear.layout import Layout
from ammg.kernels.population.log_linear.sample import table_sample
from ammg.kernels.population.log_linear.search import forward_search

SIX = ["urbanisation", "sex", "age", "marital_status", "ethnicity", "activity"]
SEVEN = [*SIX, "region"]


def clock(work: Callable[[], object], times: int = 5) -> float:
    work()
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def code(table: pl.DataFrame, names: list[str]) -> tuple[list[np.ndarray], list[int]]:
    codes = [table[name].to_physical().to_numpy().astype(np.int32) for name in names]
    return codes, [int(column.max()) + 1 for column in codes]


def cells(codes: list[np.ndarray], sizes: list[int], what: str) -> float:
    frame = pl.DataFrame({str(i): column for i, column in enumerate(codes)})

    def join() -> pl.DataFrame:
        return frame.join(frame.group_by(frame.columns).len(), on=frame.columns, how="left")

    group = clock(lambda: frame.group_by(frame.columns).len())
    both = clock(join)
    mine = clock(lambda: count_cells(codes, sizes).frequencies)
    print(f"cells, {what}: {mine:.3f} s, {mine / both:.2f} of polars group-by and join ({both:.3f} s)")
    return group


def wildcards(codes: list[np.ndarray], sizes: list[int]) -> None:
    rng = np.random.default_rng(0)
    holes = [np.where(rng.random(column.size) < 0.02, np.int32(-1), column) for column in codes]
    whole = clock(lambda: count_cells(codes, sizes).frequencies)
    mine = clock(lambda: count_matches(holes, sizes), 3)
    print(
        f"wildcards, 2 % missing in each key: {mine:.3f} s, {mine / whole:.1f} times the count without missing values"
    )


def individual(codes: list[np.ndarray], sizes: list[int], weights: np.ndarray, households: np.ndarray) -> None:
    def risk(model: Callable[..., np.ndarray]) -> np.ndarray:
        found = count_cells(codes, sizes)
        return model(found.counts.astype(float), found.sums(weights))[found.index]

    for name, model in [("approximate", approximate_risk), ("exact", negative_binomial_risk)]:
        print(f"individual risk, {name}: {clock(lambda model=model: risk(model)):.3f} s (sdcMicro 2.6 s)")
    count = int(households.max()) + 1
    both = clock(lambda: household_risk(risk(approximate_risk), households, count))
    print(f"household risk: {both:.3f} s (sdcMicro 14.8 s)")


def suda(codes: list[np.ndarray], sizes: list[int], group: float) -> None:
    mine = clock(lambda: special_uniques(codes, sizes), 3)
    print(f"SUDA, 7 keys, all sizes: {mine:.3f} s, {mine / group:.1f} times one polars group-by (sdcMicro 2.0 s)")


def log_linear(codes: list[np.ndarray], sizes: list[int]) -> None:
    layout = Layout(tuple(sizes))
    chosen = np.random.default_rng(1).permutation(codes[0].size)[: codes[0].size // 100]
    sample = table_sample(layout, [column[chosen] for column in codes], 0.01)
    pairs = list(combinations(range(6), 2))
    mine = clock(lambda: fit_model(layout, sample.cells, sample.counts, pairs))
    print(f"all two-way margins on {layout.size:,} cells: {mine:.3f} s")
    start = time.perf_counter()
    steps = forward_search(sample).steps
    print(f"forward search, {len(steps)} models on the path: {time.perf_counter() - start:.1f} s")
    for step in steps:
        name = " * ".join(SIX[axis] for axis in step.added) or "independence"
        print(f"  {name:30s} τ1 {step.tau1:6.1f}  τ2 {step.tau2:6.1f}  z1 {step.z1:6.2f}  z2 {step.z2:6.2f}")


def truth(codes: list[np.ndarray], sizes: list[int], samples: int = 20) -> None:
    layout = Layout(tuple(sizes))
    population = np.bincount(layout.locate(codes), minlength=layout.size)
    rows = []
    for seed in range(samples):
        chosen = np.random.default_rng(seed).permutation(codes[0].size)[: codes[0].size // 100]
        sample = table_sample(layout, [column[chosen] for column in codes], 0.01)
        unique = population[sample.cells[sample.uniques]]
        true = {1: float(np.count_nonzero(unique == 1)), 2: float(np.sum(1 / unique))}
        search = forward_search(sample)
        prepared = prepare_design(search.model)
        row = []
        for tau in (1, 2):
            found = uncertainty(search.model, tau, prepared)
            inside = [
                low <= true[tau] <= high
                for low, high in (found.interval(with_estimation=False), found.interval(with_estimation=True))
            ]
            start = search.steps[0].tau1 if tau == 1 else search.steps[0].tau2
            z = corrected_goodness(search.model, tau, prepared).z
            row += [found.estimate / true[tau] - 1, start / true[tau], *map(float, inside), z]
        rows.append(row)
    mean = np.mean(rows, axis=0)
    for tau in (1, 2):
        error, independence, conditional, complete, z = mean[5 * (tau - 1) : 5 * tau]
        print(f"τ{tau} on {samples} samples: selected {error:+.1%} of the truth, independence {independence:.2f} times")
        print(f"  95 % intervals cover {conditional:.0%}, with estimation error {complete:.0%}; corrected z {z:.2f}")


if __name__ == "__main__":
    numbers = [argument for argument in sys.argv[1:] if argument.isdigit()]
    people = survey(int(numbers[0]) if numbers else 1_000_000)
    seven, widths = code(people, SEVEN)
    group_by = cells(seven, widths, "7 keys of the survey")
    rng = np.random.default_rng(1)
    sparse = [rng.integers(0, 60, people.height).astype(np.int32) for _ in range(7)]
    cells(sparse, [60] * 7, "7 keys, nearly all combinations different")
    wildcards(seven, widths)
    individual(seven, widths, people["weight"].to_numpy(), people["household_id"].to_numpy().astype(np.int32))
    suda(seven, widths, group_by)
    log_linear(seven[:6], widths[:6])
    if "--truth" in sys.argv:
        truth(seven[:6], widths[:6])
