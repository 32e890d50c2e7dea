"""Cell counts, correlated noise, memory of masking, and the cost of importing."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np
import polars as pl

import ammg
from ammg.draws import Draws, Secret
from ammg.engines.local import LocalEngine
from ammg.kernels.anonymity.cells import count_cells

REPETITIONS = 5


def median(work: Callable[[], object]) -> float:
    work()
    times = []
    for _ in range(REPETITIONS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def cell_counts(records: int = 1_000_000) -> None:
    """Frequencies of 7 keys against one polars group-by-and-join from the same codes."""
    rng = np.random.default_rng(1)
    for title, sizes in (("dense", [2, 3, 4, 5, 6, 7, 8]), ("sparse", [2, 20, 100, 6, 17, 10, 12])):
        codes = [rng.integers(0, size, records).astype(np.int32) for size in sizes]
        frame = pl.DataFrame({f"k{i}": column for i, column in enumerate(codes)})
        keys = frame.columns
        ours = median(lambda codes=codes, sizes=sizes: count_cells(codes, sizes).frequencies)
        theirs = median(lambda frame=frame, keys=keys: frame.join(frame.group_by(keys).len(), on=keys, how="left"))
        print(f"cell counts, {records:,} × 7 keys, {title}: {ours:.3f} s, {ours / theirs:.2f} × polars")


def correlated_noise(records: int = 1_000_000, columns: int = 10) -> None:
    """Masking against drawing the normals from the same generator, both with one thread."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({f"x{i}": rng.standard_normal(records) for i in range(columns)})
    data = ammg.Microdata(frame)
    draws, ids = Draws(Secret.of(1)), np.arange(records)
    for threads in (1, 2):
        engine = LocalEngine(threads)
        pipeline = ammg.Pipeline([ammg.CorrelatedNoise(d=0.1)])
        ours = median(lambda engine=engine, pipeline=pipeline: pipeline.run(data, 1, engine))
        drawing = median(lambda: [draws.normal(ids, name) for name in frame.columns])
        print(
            f"correlated noise, {records:,} × {columns}, {threads} threads: {ours:.2f} s, "
            f"{ours / drawing:.2f} × drawing the normals with one"
        )


def peak_memory(records: int = 10_000_000, columns: int = 8) -> None:
    """Peak of a process that masks a table it has in memory, in multiples of that table."""
    code = (
        "import resource, numpy as np, polars as pl, ammg\n"
        f"n, m = {records}, {columns}\n"
        "rng = np.random.default_rng(1)\n"
        "frame = pl.DataFrame({f'x{i}': rng.standard_normal(n) for i in range(m)})\n"
        "size = frame.estimated_size()\n"
        "masked = ammg.Pipeline([ammg.CorrelatedNoise(d=0.1)]).run(ammg.Microdata(frame), 1)\n"
        "assert masked.table.height == n\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / size)\n"
    )
    ratio = float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
    print(f"peak memory of masking {records:,} × {columns}: {ratio:.2f} × the table")


def import_time() -> None:
    """`import ammg` against `import polars`, each in a new process."""

    def run(code: str) -> Callable[[], object]:
        return lambda: subprocess.run([sys.executable, "-c", code], check=True)

    nothing = median(run("pass"))
    ours, polars = median(run("import ammg")) - nothing, median(run("import polars")) - nothing
    print(f"import ammg: {ours:.3f} s, {ours / polars:.2f} × import polars")


def first_call() -> None:
    """Each example of each method in a process of its own with an empty kernel cache, and again with what it left."""
    code = (
        "import sys, time\n"
        "start = time.perf_counter()\n"
        "import ammg\n"
        "from ammg.testing.methods import run\n"
        "from ammg.testing.samples import sample\n"
        "method = ammg.registry.find('methods', sys.argv[1]).examples()[int(sys.argv[2])]\n"
        "run(method, sample())\n"
        "print(time.perf_counter() - start)\n"
    )
    times = []
    for name, method in ammg.registry.units("methods").items():
        for position in range(len(method.examples())):
            with tempfile.TemporaryDirectory() as cache:
                environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
                command = [sys.executable, "-c", code, name, str(position)]
                cold, warm = (
                    float(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout)
                    for _ in range(2)
                )
            times.append((cold, warm, f"{name}, example {position + 1}"))
    for cold, warm, title in sorted(times, reverse=True)[:5]:
        print(f"first call with imports and an empty kernel cache, {title}: {cold:.1f} s, then {warm:.1f} s")


if __name__ == "__main__":
    import_time()
    cell_counts()
    correlated_noise()
    peak_memory()
    first_call()
