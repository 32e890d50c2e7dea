"""What a user waits for: common tasks from 1,000 to 1 million records, `python benchmarks/bench_tasks.py [most]`.

With `--write` the table goes into docs/pages/guide/scale.md as well.

Each task runs through the public interface on a file that was measured before, in a process of its own per size.
Times are those of the fastest of several calls, as a user waits for them: the machine should be idle. `cores` is the
CPU time over the elapsed time, `memory` the peak of the process, `growth` the exponent between the two largest sizes (1
is linear), and `ratio` the time over that of the plain reference beside it, measured in the same process on the largest
file.
"""

from __future__ import annotations

import json
import math
import platform
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl

import ammg

SIZES = (1_000, 10_000, 100_000, 1_000_000)
KEYS, NUMBERS = [f"k{i}" for i in range(7)], [f"x{i}" for i in range(6)]

PUBLISHED = {
    "il1s": "0.15 s",
    "interval disclosure (SDID)": "1.60 s",
    "frequencies, 7 keys": "1.86 s",
    "l-diversity": "0.50 s",
    "individual risk": "2.40 s",
    "SUDA, 7 keys": "2.25 s",
    "correlated noise": "0.79 s",
    "univariate microaggregation": "13.1 s",
    "shuffling": "46.8 s",
}
"""Elapsed times of sdcMicro 5.8.1 for 1 million records, on an idle machine."""
PAGE = Path(__file__).parents[1] / "docs/pages/guide/scale.md"

Work = Callable[[], object]
Found = dict[int, dict[str, dict[str, dict[str, float]]]]


def main(most: int, *, write: bool = False) -> None:
    """Print one row per task."""
    found: Found = {n: _in_a_process(n) for n in SIZES if n <= most}
    if write:
        _write(found)
    print(f"{platform.machine()}, {_processor()}, Python {platform.python_version()}, {date.today():%d %B %Y}")
    titles = "".join(f"{f'{n:,}':>12}" for n in found)
    print(f"{'task':<28}{titles}{'cores':>7}{'memory':>9}{'growth':>8}{'ratio':>8}  to")
    for task in found[min(found)]["tasks"]:
        times = {n: found[n]["tasks"][task]["seconds"] for n in found if task in found[n]["tasks"]}
        row = found[max(times)]["tasks"][task]
        cells = "".join(f"{_seconds(times.get(n)):>12}" for n in found)
        growth = _growth(times)
        told = f"{row['cores']:>7.1f}{row['memory']:>6.0f} MB{growth:>8}{row['ratio']:>8.2f}  {row['reference']}"
        print(f"{task:<28}{cells}{told}")


def _write(found: Found) -> None:
    """Put the table in the place of the one that the page has."""
    heads = [f"{n:,}" if n < SIZES[-1] else "1 million" for n in found]
    heads = ["task", *heads, "sdcMicro, 1 million", "growth", "ratio"]
    rows = [heads, ["---"] * len(heads)]
    for task in found[min(found)]["tasks"]:
        times = {n: found[n]["tasks"][task]["seconds"] for n in found if task in found[n]["tasks"]}
        row = found[max(times)]["tasks"][task]
        cells = [_seconds(times.get(n)) for n in found]
        rows.append(
            [task, *cells, PUBLISHED.get(task, "–"), _growth(times), f"{row['ratio']:.2f} × {row['reference']}"]
        )
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows).replace("| --- ", "|---").replace("--- |", "---|")
    before, _, after = PAGE.read_text(encoding="utf-8").partition("| task | 1,000 ")
    rest = after[after.index("\n\n") + 1 :]
    PAGE.write_text(before + table + rest, encoding="utf-8")


def _in_a_process(n: int) -> dict[str, dict[str, dict[str, float]]]:
    command = [sys.executable, __file__, "--one", str(n)]
    found: dict[str, dict[str, dict[str, float]]] = json.loads(subprocess.check_output(command, text=True))
    return found


def one(n: int) -> None:
    """Measure all tasks at one size and print them as JSON."""
    warnings.simplefilter("ignore")
    data = microdata(n)
    references, tasks = _references(data.table), _tasks(data)
    seconds = {name: _fastest(work)[0] for name, work in references.items()}
    told = {}
    for name, (work, reference) in tasks.items():
        taken, cores = _fastest(work)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        ratio = taken / seconds[reference]
        told[name] = {"seconds": taken, "cores": cores, "memory": memory, "ratio": ratio, "reference": reference}
    print(json.dumps({"tasks": told}))


def microdata(n: int) -> ammg.Microdata:
    """Seven keys, six numbers, a weight and a confidential category."""
    rng = np.random.default_rng(1)
    keys = {name: rng.integers(0, size, n) for name, size in zip(KEYS, range(2, 9), strict=True)}
    numbers = {name: 1000 * np.exp(rng.normal(size=n)) for name in NUMBERS}
    frame = pl.DataFrame({**keys, **numbers, "weight": rng.uniform(1, 50, n), "sector": rng.integers(0, 10, n)})
    kinds = dict.fromkeys((*KEYS, "sector"), "nominal")
    roles = {**dict.fromkeys(KEYS, "key"), **dict.fromkeys(NUMBERS, "confidential"), "sector": "confidential"}
    return ammg.Microdata(frame).with_kinds(kinds).with_roles({**roles, "weight": "weight"})


def _references(frame: pl.DataFrame) -> dict[str, Work]:
    columns = [frame[name].to_numpy() for name in NUMBERS]
    rng = np.random.default_rng(2)
    return {
        "numpy sum, both files": lambda: [column.sum() for column in columns * 2],
        "polars group-by of the keys": lambda: frame.group_by(KEYS).len(),
        "numpy sort per column": lambda: [np.sort(column) for column in columns],
        "numpy argsort per column": lambda: [np.argsort(column) for column in columns],
        "numpy normals": lambda: rng.standard_normal((len(frame), len(NUMBERS))),
    }


def _tasks(data: ammg.Microdata) -> dict[str, tuple[Work, str]]:
    noise = ammg.CorrelatedNoise(columns=NUMBERS, d=0.1)
    noisy = ammg.Pipeline([noise]).run(data, 1).pair

    def measure(name: str, known: list[str] | None = None, **parameters: object) -> Work:
        chosen = ammg.registry.find("measures", name)(**parameters)
        files = noisy.original, noisy.masked, noisy.link, noisy.published
        scenario = ammg.Scenario(known=known)
        return lambda: ammg.evaluate(ammg.Pair(*files), [chosen], scenario, before=False)

    def mask(method: ammg.Method) -> Work:
        return lambda: ammg.Pipeline([method]).run(data, 1)

    grouping, sorting = "polars group-by of the keys", "numpy argsort per column"
    return {
        "il1s": (measure("il1s"), "numpy sum, both files"),
        "interval disclosure (SDID)": (measure("deviation_interval_disclosure"), "numpy sort per column"),
        "frequencies, 7 keys": (measure("frequency"), grouping),
        "l-diversity": (measure("distinct_l_diversity", attributes=("sector",)), grouping),
        "individual risk": (measure("individual_risk"), grouping),
        "SUDA, 7 keys": (measure("suda"), grouping),
        "local suppression, k = 3": (mask(ammg.LocalSuppression(k=3)), grouping),
        "correlated noise": (mask(noise), "numpy normals"),
        "univariate microaggregation": (mask(ammg.UnivariateMicroaggregation(columns=NUMBERS, k=3)), sorting),
        "shuffling": (mask(ammg.DataShuffling(columns=NUMBERS[:2], given=NUMBERS[2:])), sorting),
        "MDAV, k = 3": (mask(ammg.Mdav(columns=NUMBERS, k=3)), sorting),
        "linkage by 7 keys": (measure("distance_linkage"), grouping),
        "linkage by 6 numbers": (measure("distance_linkage", known=NUMBERS), sorting),
    }


def _fastest(work: Work, times: int = 7, most: float = 2.0) -> tuple[float, float]:
    begun = time.perf_counter()
    for _ in range(5):  # the first calls may do without compiled code, a later one compiles
        work()
        if time.perf_counter() - begun > 10:
            break
    found: list[tuple[float, float]] = []
    begun = time.perf_counter()
    while len(found) < times and (not found or time.perf_counter() - begun < most):
        started, used = time.perf_counter(), time.process_time()
        work()
        taken = time.perf_counter() - started
        found.append((taken, (time.process_time() - used) / taken))
    return min(found)


def _seconds(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{1000 * value:.1f} ms" if value < 0.1 else f"{value:.2f} s"


def _growth(times: dict[int, float]) -> str:
    if len(times) < 2:
        return "–"
    before, last = sorted(times)[-2:]
    return f"{math.log(times[last] / times[before]) / math.log(last / before):.2f}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        one(int(sys.argv[2]))
    else:
        sizes = [int(word) for word in sys.argv[1:] if word != "--write"]
        main(sizes[0] if sizes else SIZES[-1], write="--write" in sys.argv)
