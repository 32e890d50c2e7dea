"""Run a compiled kernel over blocks of rows with threads; the result does not depend on their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import copy_context
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.threads import Helper, count_present, first_failure, helping, inside, processors
from ammg.progress import part, reporting, tick

ROWS = 4096
"""Rows of a block, unless the caller says otherwise."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def over_blocks(
    work: Callable[[int, int], object], rows: int, *, block: int | None = None, brief: bool = False
) -> None:
    """Call `work(start, stop)` for consecutive blocks that cover 0..rows, on as many threads as there are processors.

    `work` writes rows start..stop of its own arrays and must release the GIL to profit from threads. The caller's
    thread takes part. It reports progress before each of its blocks, where the computation can be stopped; a `brief`
    pass before the main work does not move the progress. Threads that are busy with blocks start no others.
    """
    block = block or ROWS
    waiting = [(start, min(start + block, rows)) for start in range(0, rows, block)][::-1]
    failed: dict[int, BaseException] = {}
    is_stopped = False

    def help_out() -> None:
        with _busy(), reporting(lambda *_: not failed and not is_stopped):
            while not failed and (span := _next(waiting)):
                try:
                    work(*span)
                except BaseException as error:
                    failed[span[0]] = error

    free = 0 if inside.blocks else min(len(waiting), processors(), processors() + 1 - count_present(helping)) - 1
    helpers = [Helper(partial(copy_context().run, help_out), marked=True) for _ in range(free)]
    try:
        helping.extend(helpers)
        for helper in helpers:
            helper.start()
        while not failed and (span := _next(waiting)):
            with part(0 if brief else span[0], rows, size=0), _busy() if helpers else nullcontext():
                work(*span)
    except BaseException:
        is_stopped = True
        raise
    finally:
        waiting.clear()
        for helper in helpers:
            helper.finish()  # a block that has begun still writes
        count_present(helping)
    if failed:
        raise first_failure(failed)
    tick(0 if brief else rows, rows)


@contextmanager
def _busy() -> Iterator[None]:
    """The current thread is one of several that work on blocks: it starts no others."""
    before = inside.worker, inside.counted, inside.blocks
    inside.worker, inside.counted, inside.blocks = True, None, True
    try:
        yield
    finally:
        inside.worker, inside.counted, inside.blocks = before


def _next(waiting: list[tuple[int, int]]) -> tuple[int, int] | None:
    try:
        return waiting.pop()
    except IndexError:
        return None


def in_rows(values: Floats) -> Floats:
    """The same array if its rows are contiguous, otherwise a copy whose rows are."""
    if values.flags.c_contiguous:
        return values
    out = np.empty(values.shape)

    def work(start: int, stop: int) -> None:
        out[start:stop] = values[start:stop]

    over_blocks(work, len(values), block=1 << 14, brief=True)
    return out


def rows_of(values: Floats, rows: Ints) -> Floats:
    """Some rows of an array, or all in another order; the result has contiguous rows."""
    out = np.empty((len(rows), values.shape[1]))

    def work(start: int, stop: int) -> None:
        out[start:stop] = values[rows[start:stop]]

    over_blocks(work, len(rows), block=1 << 14, brief=True)
    return out
