"""Run a compiled kernel over blocks of rows with threads; the result does not depend on their number."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache

from ammg.progress import tick


class _Inside(threading.local):
    """What is true of the current thread."""

    pool = False
    """Whether it belongs to the pool and so runs its blocks itself: otherwise all threads could deadlock."""
    worker = False
    """Whether it is one of several that already use all processors."""


_inside = _Inside()


@cache
def _pool() -> ThreadPoolExecutor:
    """Threads for all kernels of this process: starting new ones costs more than many kernels take."""

    def begin() -> None:
        _inside.pool = True

    return ThreadPoolExecutor(os.cpu_count(), "blocks", begin)


if hasattr(os, "register_at_fork"):  # a forked child does not inherit the threads
    os.register_at_fork(after_in_child=_pool.cache_clear)


def over_blocks(work: Callable[[int, int], object], rows: int, *, block: int = 4096, brief: bool = False) -> None:
    """Call `work(start, stop)` for consecutive blocks that cover 0..rows, on as many threads as there are processors.

    `work` writes rows start..stop of its own arrays and must release the GIL to profit from threads. Progress is
    reported in the caller's thread after each block, which can also stop the computation there; a `brief` pass before
    the main work does not move it.
    """
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


def processors() -> int:
    """How many processors this process may use.

    Where several processes share them, as in a search, `OMP_NUM_THREADS` allows each of them one thread.
    """
    return 1 if os.environ.get("OMP_NUM_THREADS") == "1" else os.cpu_count() or 1


def mark_as_worker() -> None:
    """Say of the current thread, as it starts, that it is one of several that use all processors."""
    _inside.worker = True


def is_worker() -> bool:
    """Whether the current thread should start no others: they would find no processor, or wait for each other."""
    return _inside.pool or _inside.worker


def has_spare_processor() -> bool:
    """Whether a second thread may wait for work beside this one, and has a processor of its own."""
    if is_worker() or os.name != "posix" or processors() == 1:
        return False
    from joblib import cpu_count  # which knows the limits of containers

    return bool(cpu_count() > 1)


@contextmanager
def beside(work: Callable[[], object], end: Callable[[], object]) -> Iterator[None]:
    """Let another thread do `work` meanwhile, if it can be had; `end` tells it to return.

    It may start late or never, or fail, so its work may help but must not be needed. It does not belong to the pool,
    which stays free for others, and does not outlive the program.
    """
    thread = threading.Thread(target=_tried, args=(work,), name="beside", daemon=True)
    try:
        with suppress(RuntimeError):  # the system has no thread left, or the program is ending
            thread.start()
        yield
    finally:
        end()
        if thread.is_alive():
            thread.join()


def _tried(work: Callable[[], object]) -> None:
    """Do work that is not needed; errors in it are ignored."""
    with suppress(Exception):
        work()
