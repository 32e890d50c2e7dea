"""Run a compiled kernel over blocks of rows with threads; the result does not depend on how many."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed

from ammg.progress import tick


def over_blocks(work: Callable[[int, int], object], rows: int, *, block: int = 4096) -> None:
    """Call `work(start, stop)` for consecutive blocks that cover 0..rows, on as many threads as there are processors.

    `work` writes rows start..stop of arrays that it owns and must release the GIL to gain from threads. Whoever waits
    for the computation hears of it in the caller's thread after each block, and can stop it.
    """
    spans = [(start, min(start + block, rows)) for start in range(0, rows, block)]
    workers = min(os.cpu_count() or 1, len(spans))
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
