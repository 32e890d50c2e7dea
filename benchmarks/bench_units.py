"""Every method and measure that takes long, and whether it uses both cores: `python benchmarks/bench_units.py [rows]`.

Each unit runs with its defaults, through the public interface, on the file of the common tasks. What takes more than a
fifth of a second is shown with its elapsed time and the processors it used (CPU time over elapsed time). A unit
that would take more than ten seconds is measured on a tenth or a hundredth of the rows. The machine should be idle.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from statistics import median

import ammg
from ammg.testing.methods import fitted
from bench_tasks import KEYS, NUMBERS, microdata

LEAST, MOST = 0.2, 10.0
Work = Callable[[], object]


def main(rows: int) -> None:
    warnings.simplefilter("ignore")
    shown: dict[str, tuple[int, float, float]] = {}
    for n in (rows // 100, rows // 10, rows):
        for name, work in works(n).items():
            if n == rows // 100 or name not in shown or 12 * shown[name][1] < MOST:
                try:
                    shown[name] = (n, *measured(work))
                except ammg.AmmgError:
                    continue  # it needs other columns
    print(f"{'unit':<44}{'records':>12}{'seconds':>10}{'cores':>7}")
    for name, (n, seconds, cores) in sorted(shown.items(), key=lambda item: -item[1][1]):
        if seconds > LEAST:
            print(f"{name:<44}{n:>12,}{seconds:>10.2f}{cores:>7.2f}")


def works(n: int) -> dict[str, Work]:
    """A call of each unit on a file of n records."""
    data = microdata(n)
    steps = [ammg.CorrelatedNoise(columns=NUMBERS, d=0.1), ammg.Pram(columns=KEYS[:2], stay=0.8)]
    pair = ammg.Pipeline(steps).run(data, 1).pair
    files = pair.original, pair.masked, pair.link, pair.published

    def mask(unit: type[ammg.Method]) -> Work:
        return lambda: ammg.Pipeline([fitted(unit(), data.schema)]).run(data, 1)

    def measure(unit: type[ammg.Measure]) -> Work:
        return lambda: ammg.evaluate(ammg.Pair(*files), unit(), before=False)

    methods = {f"method {name}": mask(unit) for name, unit in ammg.registry.units("methods").items()}
    return methods | {f"measure {name}": measure(unit) for name, unit in ammg.registry.units("measures").items()}


def measured(work: Work) -> tuple[float, float]:
    """The least elapsed time and the median of the processors used in up to 15 calls, after one that may compile."""
    work()
    found = []
    begun = time.perf_counter()
    while len(found) < 15 and (not found or time.perf_counter() - begun < 2.0):
        started, used = time.perf_counter(), time.process_time()
        work()
        taken = time.perf_counter() - started
        found.append((taken, (time.process_time() - used) / taken))
    return min(found)[0], median(cores for _, cores in found)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
