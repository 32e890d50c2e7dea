"""Cost of suppression and recoding on the simulated survey: `python benchmarks/bench_recoding.py [rows]`.

Local suppression of seven keys (k = 3) beside one polars group-by of those keys, then of eight with single years of
age; then the optimum of a lattice of more than 10,000 transformations of nine keys (k = 5, 5 % suppression) on 1.2
times as many records, apart from the count of its cells. Last what plans take beside their passes over the records:
of a file, and of the same file four times over (the same cells, four times as many records). Every figure is the
median of three runs after a first one, the two long ones are run once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import polars as pl

import ammg
from ammg.data import hierarchy_builders as build
from ammg.data.hierarchy import Hierarchy
from ammg.draws import Draws, Secret
from ammg.engines.local import LocalEngine
from ammg.summaries.cells import CellCounts
from ammg.summaries.summary import FoldedSource, State, Summary, Value

SEVEN = ["urbanisation", "dwelling", "tenure", "sex", "marital_status", "education", "activity"]
NINE = ["region", "urbanisation", "sex", "age", "marital_status", "ethnicity", "education", "activity", "tenure"]


def clock(work: Callable[[], object], times: int) -> float:
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return float(np.median(seconds))


def suppress(table: pl.DataFrame, keys: list[str], times: int) -> None:
    data = ammg.Microdata(table).with_roles(key=keys)
    step = ammg.Pipeline([ammg.LocalSuppression(k=3)])
    step.run(ammg.Microdata(table.head(20_000)).with_roles(key=keys), secret=1)  # compiles
    group = clock(lambda: table.group_by(keys).len(), 5)
    mine = clock(lambda: step.run(data, secret=1), times)
    cells = table.group_by(keys).len().height
    print(
        f"local suppression, {table.height:,} × {len(keys)} keys, {cells:,} cells: {mine:.2f} s, "
        f"{mine / group:.1f} of one polars group-by ({group:.3f} s)"
    )


def trees(table: pl.DataFrame) -> dict[str, Hierarchy]:
    found = {}
    for name in NINE:
        counts = table.group_by(name).len().drop_nulls().sort(name)
        values, sizes = counts[name].to_list(), counts["len"].to_list()
        if name == "age":
            found[name] = build.by_widths(values, (5, 10, 20, 40))
        elif name in ("education", "region"):
            found[name] = build.by_runs(values, 3)
        else:
            found[name] = build.by_frequency(values, sizes)
    return found


def recode(rows: int) -> None:
    table = ammg.datasets.survey(rows, seed=7)
    data = ammg.Microdata(table).with_roles(key=NINE).with_hierarchies(trees(table))
    step = ammg.OptimalRecoding(k=5, suppression=0.05)
    ammg.Pipeline([step]).run(
        ammg.Microdata(table.head(2_000)).with_roles(key=NINE).with_hierarchies(trees(table)), secret=1
    )
    source = LocalEngine().open(data).with_categories(tuple(NINE))
    start = time.perf_counter()
    values = source.fold(CellCounts(tuple(NINE)))
    counted = time.perf_counter() - start
    start = time.perf_counter()
    masked = ammg.Pipeline([step]).run(data, secret=1)
    whole = time.perf_counter() - start
    print(f"optimal recoding, {rows:,} × 9 keys, {len(values):,} cells: {whole:.1f} s in all, count {counted:.1f} s")
    print(f"  {masked.steps[0].notes[0]}")


class Timed(FoldedSource):
    """A source that knows how long its folds took."""

    seconds = 0.0

    def fold(self, summary: Summary[State, Value]) -> Value:
        start = time.perf_counter()
        value = super().fold(summary)
        self.seconds += time.perf_counter() - start
        return value


def grow(rows: int) -> None:
    """Time of plans outside folds, for a file and for four times as many records with the same cells."""
    table = ammg.datasets.survey(rows, seed=7)
    found = trees(table)
    keys = [name for name in NINE if name != "age"]
    four = pl.concat([table] * 4)
    steps = {
        "optimal recoding": (ammg.OptimalRecoding(k=5), ammg.OptimalRecoding(k=20), NINE),
        "Mondrian": (ammg.Mondrian(k=5), ammg.Mondrian(k=20), NINE),
        "local suppression": (ammg.LocalSuppression(k=3), ammg.LocalSuppression(k=3), keys),
    }
    for name, (once, again, columns) in steps.items():
        beside, folded = [], []
        for part, step in ((table, once), (four, again), (table, once), (four, again)):
            data = ammg.Microdata(part).with_roles(key=columns).with_hierarchies({c: found[c] for c in columns})
            source = Timed(LocalEngine().open(data).with_categories(tuple(columns)))
            start = time.perf_counter()
            step.plan(source, Draws(Secret.known(1)))
            beside.append(time.perf_counter() - start - source.seconds)
            folded.append(source.seconds)
        print(
            f"{name}: {beside[2]:.2f} s beside {folded[2]:.2f} s of passes over {rows:,} records, "
            f"{beside[3]:.2f} s beside {folded[3]:.2f} s over {4 * rows:,} with the same cells"
        )


def main(rows: int) -> None:
    table = ammg.datasets.survey(rows, seed=7)
    suppress(table, SEVEN, 3)
    suppress(table, [*SEVEN, "age"], 1)
    recode(rows * 12 // 10)
    recode(rows * 3 // 10)
    grow(rows * 3 // 10)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
