"""Run a compiled kernel over blocks of rows with threads; the result does not depend on how many."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeAlias

from ammg import progress

Tick: TypeAlias = Callable[[int, int], object]
"""`tick(rows_done, rows)` is called in the caller's thread after each block; an exception it raises stops the work."""


def over_blocks(
    work: Callable[[int, int], object],
    rows: int,
    *,
    block: int = 4096,
    workers: int | None = None,
    tick: Tick | None = None,
) -> None:
    """Call `work(start, stop)` for consecutive blocks that cover 0..rows, on up to `workers` threads.

    `work` writes rows start..stop of arrays that it owns and must release the GIL to gain from threads. Without `tick`
    whoever waits for the computation hears of it (see `ammg.progress`).
    """
    spans = [(start, min(start + block, rows)) for start in range(0, rows, block)]
    workers = min(workers or os.cpu_count() or 1, len(spans))
    tick = tick or progress.tick
    done = 0
    if workers <= 1:
        for start, stop in spans:
            work(start, stop)
            done += stop - start
            tick(done, rows)
        return
    with ThreadPoolExecutor(workers) as pool:
        pending = {pool.submit(work, start, stop): stop - start for start, stop in spans}
        try:
            for future in as_completed(pending):
                future.result()
                done += pending[future]
                tick(done, rows)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
