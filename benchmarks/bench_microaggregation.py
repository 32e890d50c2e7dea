"""Speed and information loss of microaggregation, each figure against a baseline of the same run.

Times are processor seconds: the kernels use one thread. Run all with `python -m benchmarks microaggregation`, some by
`python benchmarks/bench_microaggregation.py mdav_speed growth`.
"""

import resource
import sys
import time
from pathlib import Path

import numpy as np

SHARED = Path(__file__).parents[2] / "shared"


def seconds(work, repetitions=5):
    times = []
    for _ in range(repetitions):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return float(np.median(times))


def gaussian(n, d=6):
    return np.random.default_rng(0).normal(size=(n, d))


def survey(n):
    """Ages, incomes with zeros and round numbers, small counts: skewed and discrete, with many ties."""
    rng = np.random.default_rng(0)
    income = np.round(rng.lognormal(10, 1, n), -2) * (rng.random(n) > 0.1)
    savings = rng.lognormal(8, 2, n) * (rng.random(n) > 0.4)
    hours = np.clip(np.round(rng.normal(30, 15, n)), 0, 80)
    columns = [rng.integers(16, 96, n), income, savings, rng.integers(1, 8, n), hours, 1 + rng.poisson(1.5, n)]
    data = np.column_stack(columns).astype(float)
    return (data - data.mean(axis=0)) / data.std(axis=0)


def univariate(n=1_000_000, columns=10):
    """Univariate microaggregation of 1 million x 10 against a stable argsort of those columns: at most 4."""
    from ammg.kernels.grouping.univariate_groups import microaggregate_column

    data = np.random.default_rng(0).lognormal(size=(columns, n))
    microaggregate_column(data[0, :100].copy(), 3)
    baseline = seconds(lambda: [np.argsort(column, kind="stable") for column in data])
    for k in (3, 10, 100):
        for optimal in (False, True):
            spent = seconds(lambda k=k, o=optimal: [microaggregate_column(c, k, optimal=o) for c in data], 3)
            kind = "optimal" if optimal else "fixed size"
            print(f"univariate {kind}, k={k}: {spent:.2f} s, {spent / baseline:.2f} x argsort ({baseline:.2f} s)")


def mdav_speed(n=100_000, k=3):
    """MDAV by a tree against full scans, 100,000 x 6: at least 5 times faster, the same groups."""
    from ammg.kernels.grouping.mdav import mdav_by_tree
    from ammg.kernels.grouping.mdav_plain import mdav_by_scans

    for name, data in (("gaussian", gaussian(n)), ("survey", survey(n))):
        same = (mdav_by_tree(data[:5_000], k) == mdav_by_scans(data[:5_000], k)).all()
        fast, plain = seconds(lambda d=data: mdav_by_tree(d, k), 3), seconds(lambda d=data: mdav_by_scans(d, k), 1)
        print(f"MDAV {name} {n} x 6, k={k}: tree {fast:.2f} s, scans {plain:.2f} s, {plain / fast:.1f} x, same {same}")


def growth(k=3):
    """Growth exponent of MDAV between 30,000 and 300,000 x 6: at most 1.6."""
    from ammg.kernels.grouping.mdav import mdav_by_tree

    mdav_by_tree(gaussian(100), k)
    for name, make in (("gaussian", gaussian), ("survey", survey)):
        few, many = make(30_000), make(300_000)
        small, large = seconds(lambda d=few: mdav_by_tree(d, k), 5), seconds(lambda d=many: mdav_by_tree(d, k), 3)
        print(f"MDAV {name}, k={k}: {small:.2f} s and {large:.2f} s, exponent {np.log10(large / small):.2f}")


def million(k=5):
    """MDAV of 1 million x 6, k = 5: within two minutes and 2 GB."""
    from ammg.kernels.grouping.mdav import mdav_by_tree

    mdav_by_tree(gaussian(100), k)
    data = gaussian(1_000_000)
    spent = seconds(lambda: mdav_by_tree(data, k), 1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"MDAV 1,000,000 x 6, k={k}: {spent:.1f} s, {peak:.2f} GB at most in this process")


def search_loss():
    """Loss of the default search against MDAV on the files of the literature: 12 % less on Census, 20 % on EIA."""
    import polars as pl

    from ammg.kernels.grouping.mdav import mdav_groups
    from ammg.kernels.grouping.microaggregate import microaggregation_groups
    from ammg.kernels.grouping.mixed_records import numeric_records
    from ammg.kernels.grouping.partitions import information_loss

    for name, file, left_out in (
        ("Census", "CENSUS.csv", []),
        ("EIA", "EIA.csv", ["UTILNAME", "STATE", "YEAR", "MONTH"]),
    ):
        if not (SHARED / "data" / file).exists():
            print(f"{name}: the file is not here")
            continue
        data = pl.read_csv(SHARED / "data" / file).drop(left_out).to_numpy().astype(float)
        data = (data - data.mean(axis=0)) / data.std(axis=0)
        for k in (3, 4, 5, 10):
            mdav = information_loss(data, mdav_groups(data, k))
            found = {}
            spent = seconds(
                lambda d=data, k=k, f=found: f.update(
                    group=microaggregation_groups(numeric_records(d), k, np.random.default_rng(0))
                ),
                1,
            )
            loss = information_loss(data, found["group"])
            print(
                f"{name} k={k}: MDAV {mdav:.4f}, search {loss:.4f}, {100 * (1 - loss / mdav):.1f} % less, {spent:.1f} s"
            )


def search_large(n=100_000, k=5):
    """The default search on 100,000 x 6: loss below MDAV's in less time than MDAV by full scans."""
    from ammg.kernels.grouping.mdav import mdav_by_tree
    from ammg.kernels.grouping.mdav_plain import mdav_by_scans
    from ammg.kernels.grouping.microaggregate import microaggregation_groups
    from ammg.kernels.grouping.mixed_records import numeric_records
    from ammg.kernels.grouping.partitions import information_loss

    mdav_by_scans(gaussian(100), k)
    microaggregation_groups(numeric_records(gaussian(6_000)), k, np.random.default_rng(0), 10)
    for name, data in (("gaussian", gaussian(n)), ("survey", survey(n))):
        plain = seconds(lambda d=data: mdav_by_scans(d, k), 1)
        mdav = information_loss(data, mdav_by_tree(data, k))
        begin = time.process_time()
        group = microaggregation_groups(numeric_records(data), k, np.random.default_rng(0))
        spent, loss = time.process_time() - begin, information_loss(data, group)
        print(
            f"search {name} {n} x 6, k={k}: {spent:.1f} s against {plain:.1f} s of scans, "
            f"loss {loss:.3f} against {mdav:.3f}, {100 * (1 - loss / mdav):.1f} % less"
        )


FIGURES = [univariate, mdav_speed, growth, million, search_loss, search_large]

if __name__ == "__main__":
    for figure in FIGURES:
        if len(sys.argv) == 1 or figure.__name__ in sys.argv[1:]:
            figure()
