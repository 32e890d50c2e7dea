"""Time of `ammg mask` from the shell: `python benchmarks/bench_command.py [rows]`.

First a CSV file of eight columns that is masked in three steps, with all default measures, checks and reports: elapsed
time, CPU time over elapsed time (the processors that were used), and the ratio to reading the file with polars. Then
the first `ammg mask` of 1,000 records with nothing compiled yet, method by method. The machine should be idle.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

ROLES = "{sex: key, region: key, job: key, age: key, income: confidential, wealth: confidential, tax: confidential}"
COLUMNS = ["sex", "region", "job", "age", "income", "wealth", "tax", "illness"]
STEPS = """
  - pram: {columns: [job], stay: 0.8}
  - univariate_microaggregation: {columns: [age], k: 3}
  - correlated_noise: {columns: [income, wealth, tax], d: 0.1}"""

FIRST = {
    "noise": "{correlated_noise: {columns: [income], d: 0.1}}",
    "top coding": "{top_coding: {columns: [income], share: 0.05}}",
    "PRAM": "{pram: {columns: [job], stay: 0.8}}",
    "rank swapping": "{rank_swapping: {columns: [income], p: 5}}",
    "MDAV": "{mdav: {columns: [income, wealth, tax], k: 3}}",
    "local suppression, 3 keys": "{local_suppression: {columns: [sex, region, job], k: 3}}",
    "local suppression, 5 keys": "{local_suppression: {columns: [sex, region, job, city, car], k: 3}}",
    "local suppression, 7 keys": "{local_suppression: {columns: [sex, region, job, city, car, school, faith], k: 3}}",
}


def main(rows: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "compiled").mkdir()
        frame(rows).select(COLUMNS).write_csv(home / "l.csv")
        mask(home, "l.csv", STEPS, ROLES, cache="compiled")  # which compiles
        elapsed, cores = min(mask(home, "l.csv", STEPS, ROLES, cache="compiled") for _ in range(3))
        start = time.perf_counter()
        pl.read_csv(home / "l.csv")
        reading = time.perf_counter() - start
        print(
            f"ammg mask, {rows:,} × 8: {elapsed:.1f} s, {cores:.2f} cores, {elapsed / reading:.0f} × reading the file"
        )
        frame(1000).write_csv(home / "s.csv")
        print("first ammg mask of 1,000 records, nothing compiled:")
        for name, step in FIRST.items():
            taken = []
            for turn in range(3):
                (home / f"{name} {turn}").mkdir()
                taken.append(mask(home, "s.csv", f"\n  - {step}", ROLES, cache=f"{name} {turn}")[0])
            print(f"  {name:<28}{min(taken):>6.2f} s")


def frame(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(7)
    sizes = {"sex": 2, "region": 20, "job": 40, "city": 5, "car": 6, "school": 7, "faith": 8, "illness": 12}
    codes = {name: rng.choice([f"{name} {code}" for code in range(size)], rows) for name, size in sizes.items()}
    numbers = {name: np.round(1000 * np.exp(rng.normal(size=rows)), 2) for name in ("income", "wealth", "tax")}
    return pl.DataFrame({**codes, "age": rng.integers(0, 100, rows), **numbers})


def mask(home: Path, source: str, steps: str, roles: str, cache: str) -> tuple[float, float]:
    """Elapsed time of one command, and how many processors it used."""
    for old in home.glob("masked*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    project = f"source: {source}\nroles: {roles}\nmethods:{steps}\ntarget: masked.parquet\n"
    (home / "project.yaml").write_text(project, encoding="utf-8")
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    used, start = children(), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "ammg", "mask", "project.yaml"],
        cwd=home,
        env={**variables, "NUMBA_CACHE_DIR": str(home / cache)},
        check=True,
        capture_output=True,
    )
    elapsed = time.perf_counter() - start
    return elapsed, (children() - used) / elapsed


def children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
