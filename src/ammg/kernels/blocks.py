"""Run a compiled kernel over blocks of rows with threads; the result does not depend on their number."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache

from ammg.progress import tick


class _Inside(threading.local):
    """Whether this thread belongs to the pool and so runs its blocks itself: otherwise all threads could deadlock."""

    pool = False


_inside = _Inside()


@cache
def _pool() -> ThreadPoolExecutor:
    """Threads for all kernels of this process: starting new ones costs more than many kernels take."""

    def begin() -> None:
        _inside.pool = True

    return ThreadPoolExecutor(os.cpu_count(), "blocks", begin)


if hasattr(os, "register_at_fork"):  # a forked child does not inherit the threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


def over_blocks(work: Callable[[int, int], object], rows: int, *, block: int = 4096) -> None:
    """Call `work(start, stop)` for consecutive blocks that cover 0..rows, on as many threads as there are processors.

    `work` writes rows start..stop of its own arrays and must release the GIL to profit from threads. Progress is
    reported in the caller's thread after each block, which can also stop the computation there.
    """
    spans = [(start, min(start + block, rows)) for start in range(0, rows, block)]
    if len(spans) <= 1 or os.cpu_count() == 1 or _inside.pool:
        for start, stop in spans:
            work(start, stop)
            tick(stop, rows)
        return
    under_way = [_pool().submit(work, start, stop) for start, stop in spans]
    try:
        for (_, stop), future in zip(spans, under_way, strict=True):
            future.result()
            tick(stop, rows)
    except BaseException:
        for future in under_way:
            future.cancel()
        for future in under_way:  # a block that has begun still writes
            if not future.cancelled():
                future.exception()
        raise


def has_spare_processor() -> bool:
    """Whether a second thread could run beside this one."""
    if _inside.pool:
        return False
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) > 1


@contextmanager
def beside(work: Callable[[], object], end: Callable[[], object]) -> Iterator[None]:
    """Let another thread do `work` meanwhile; `end` tells it to return. It may start late or never."""
    under_way = _pool().submit(work)
    try:
        yield
    finally:
        end()
        if not under_way.cancel():
            under_way.result()
