"""Time of analysing a Parquet file: `python benchmarks/bench_analyze.py [rows]`.

The file has 20 columns of the simulated survey. The baseline is reading all of it once with polars; the figure to
stay below is ten times that. The release gate is measured against masking on the first 100,000 records.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import polars as pl
import pyarrow.parquet as pq

import ammg
from ammg.datasets import survey

COLUMNS = 20
PART = 1_000_000


def seconds(work: Callable[[], object], times: int = 3) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return median(taken)


def write(path: Path, rows: int) -> None:
    writer = None
    for part, start in enumerate(range(0, rows, PART)):
        frame = survey(min(PART, rows - start), seed=part)
        wanted = [*frame.columns[:13], "education", "activity", *frame.columns[-5:]]
        offsets = [(pl.col(name) + start).cast(pl.Int32) for name in ("person_id", "household_id")]
        table = frame.with_columns(offsets).select(wanted[:COLUMNS]).to_arrow(compat_level=pl.CompatLevel.oldest())
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table)
    if writer is not None:
        writer.close()


def analysis(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "survey.parquet"
        write(path, rows)
        ammg.analyze(survey(1_000))  # everything is loaded before the clock starts
        baseline = seconds(lambda: pl.read_parquet(path))
        taken = seconds(lambda: ammg.analyze(ammg.read(path, stream=True)))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"analyze {rows:,} × {COLUMNS} Parquet: {taken:.2f} s, {taken / baseline:.1f} × reading it ({baseline:.2f} s)"
    )
    print(f"peak of the process, reading included: {peak:.2f} GiB")


def gate(rows: int = 100_000) -> None:
    roles: dict[str, list[str]] = {}
    for name, role in ammg.datasets.SURVEY_ROLES.items():
        roles.setdefault(role, []).append(name)
    data = ammg.Microdata(survey(rows)).with_roles(**roles)
    step = ammg.CorrelatedNoise(
        columns=["wages", "self_employment", "pensions", "capital_income", "other_income", "income"]
    )
    pipeline = ammg.Pipeline([step])
    masked = pipeline.run(data, secret=1)
    baseline = seconds(lambda: pipeline.run(data, secret=1))
    taken = seconds(masked.release)
    size = f"{rows:,} × {len(data.columns)}"
    print(f"release gate, {size}: {taken:.2f} s, {taken / baseline:.1f} × correlated noise ({baseline:.2f} s)")


def pseudonyms(rows: int = 200_000) -> None:
    data = ammg.Microdata(pl.DataFrame({"pid": range(rows), "x": [1.0] * rows})).with_roles(identifier="pid")
    baseline = seconds(lambda: ammg.Pipeline([ammg.RandomIds()]).run(data, secret=1))
    taken = seconds(lambda: ammg.Pipeline([ammg.Pseudonyms()]).run(data, secret=1))
    print(f"pseudonyms of {rows:,} ids: {taken:.2f} s, {taken / baseline:.1f} × random numbers ({baseline:.2f} s)")


if __name__ == "__main__":
    analysis(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
    gate()
    pseudonyms()
