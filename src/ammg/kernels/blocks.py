"""Run a compiled kernel over blocks of rows with threads; the result does not depend on their number."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from ammg.kernels.threads import mark_as_worker, processors
from ammg.progress import tick

ROWS = 4096
"""Rows of a block, unless the caller says otherwise."""


class _Inside(threading.local):
    """What is true of the current thread."""

    pool = False
    """Whether it belongs to the pool and so runs its blocks itself: otherwise all threads could deadlock."""


_inside = _Inside()


@cache
def _pool() -> ThreadPoolExecutor:
    """Threads for all kernels of this process: starting new ones costs more than many kernels take."""

    def begin() -> None:
        _inside.pool = True
        mark_as_worker()

    return ThreadPoolExecutor(os.cpu_count(), "blocks", begin)


if hasattr(os, "register_at_fork"):  # a forked child does not inherit the threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


def over_blocks(
    work: Callable[[int, int], object], rows: int, *, block: int | None = None, brief: bool = False
) -> None:
    """Call `work(start, stop)` for consecutive blocks that cover 0..rows, on as many threads as there are processors.

    `work` writes rows start..stop of its own arrays and must release the GIL to profit from threads. Progress is
    reported in the caller's thread after each block, which can also stop the computation there; a `brief` pass before
    the main work does not move it.
    """
    block = block or ROWS
    spans = [(start, min(start + block, rows)) for start in range(0, rows, block)]
    if len(spans) <= 1 or processors() == 1 or _inside.pool:
        for start, stop in spans:
            work(start, stop)
            tick(0 if brief else stop, rows)
        return
    under_way = [_pool().submit(work, start, stop) for start, stop in spans]
    try:
        for (_, stop), future in zip(spans, under_way, strict=True):
            future.result()
            tick(0 if brief else stop, rows)
    except BaseException:
        for future in under_way:
            future.cancel()
        for future in under_way:  # a block that has begun still writes
            if not future.cancelled():
                future.exception()
        raise
