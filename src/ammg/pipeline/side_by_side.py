"""Independent computations side by side, for callers who see one progress and one result."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from typing import Any, TypeVar

from ammg.errors import Cancelled
from ammg.kernels.blas import one_blas_thread
from ammg.progress import part, reporting, tick

Label = TypeVar("Label")
Result = TypeVar("Result")

AT_ONCE = 2
"""Computations at the same time: each has its own arrays, and most use several processors where it pays."""
_SECONDS = 0.05  # between two reports of progress


def side_by_side(
    tasks: Mapping[Label, Callable[[], Result]], *, threads: bool, name: Callable[[Label], str] = str
) -> dict[Label, Result]:
    """The results of all tasks; with `threads`, of several at the same time, if there are processors for them.

    Progress is reported in the caller's thread, as the number of tasks done, fractions included, with the `name` of the
    first task that is not. If one fails, or if the caller asks to stop, the others stop at their next tick.
    """
    if not threads or len(tasks) < 2 or not _has_processors():
        found = {}
        for position, (label, task) in enumerate(tasks.items()):
            with part(position, len(tasks), name(label)):
                found[label] = task()
        tick(len(tasks), len(tasks))
        return found
    with one_blas_thread(), warnings.catch_warnings():  # filters that tasks set and reset at the same time
        return _Running(tasks, name).results()


def _has_processors() -> bool:
    """Whether this process may use several: in a search, `OMP_NUM_THREADS` allows each process one thread."""
    return (os.cpu_count() or 1) > 1 and os.environ.get("OMP_NUM_THREADS") != "1"


class _Running:
    """Tasks in threads, with how far each of them is."""

    def __init__(self, tasks: Mapping[Any, Callable[[], Any]], name: Callable[[Any], str]) -> None:
        self.tasks, self.name = tasks, name
        self.done = dict.fromkeys(tasks, 0.0)
        self.stopped = False

    def results(self) -> dict[Any, Any]:
        tick(0, len(self.tasks), self.name(next(iter(self.tasks))))
        with ThreadPoolExecutor(AT_ONCE, "side by side") as pool:
            futures = {label: pool.submit(copy_context().run, self._run, label) for label in self.tasks}
            try:
                self._await(futures)
            finally:
                self.stopped = True  # which matters only if something failed
                for future in futures.values():
                    future.cancel()
                wait(futures.values())
        self._raise_first(futures)
        tick(len(futures), len(futures))
        return {label: future.result() for label, future in futures.items()}

    def _run(self, label: Any) -> Any:
        def report(done: float, total: float, _: str) -> bool:
            if total > 0:
                self.done[label] = max(self.done[label], min(done / total, 1.0))
            return not self.stopped

        with reporting(report):
            tick(0, 1)
            found = self.tasks[label]()
        self.done[label] = 1.0
        return found

    def _await(self, futures: dict[Any, Future[Any]]) -> None:
        waiting: set[Future[Any]] = set(futures.values())
        while waiting:
            at_hand = next((label for label, future in futures.items() if not future.done()), None)
            tick(sum(self.done.values()), len(futures), "" if at_hand is None else self.name(at_hand))
            ended, waiting = wait(waiting, _SECONDS, FIRST_COMPLETED)
            if any(future.exception() is not None for future in ended):
                return

    def _raise_first(self, futures: dict[Any, Future[Any]]) -> None:
        """Raise what went wrong first in the order of the tasks; that others were stopped for it does not matter."""
        failed = [future.exception() for future in futures.values() if not future.cancelled()]
        wrong = [error for error in failed if error is not None]
        if wrong:
            raise next((error for error in wrong if not isinstance(error, Cancelled)), wrong[0])
