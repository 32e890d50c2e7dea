"""Independent computations side by side, for callers who see one progress and one result."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import copy_context
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any, TypeVar

from ammg.errors import Cancelled
from ammg.kernels.blas import one_blas_thread
from ammg.kernels.blocks import processors
from ammg.progress import part, reporting, tick

Label = TypeVar("Label")
Result = TypeVar("Result")

AT_ONCE = 2
"""Computations at the same time: each has its own arrays, and most use several processors where it pays."""
GRACE = 2.0
"""Seconds that tasks have to end when they are to stop; then the caller goes on without them."""
_SECONDS = 0.05  # between two reports of progress


def side_by_side(
    tasks: Mapping[Label, Callable[[], Result]], *, threads: bool, name: Callable[[Label], str] = str
) -> dict[Label, Result]:
    """The results of all tasks; with `threads`, of several at the same time, if there are processors for them.

    Progress is reported in the caller's thread, as the number of tasks done, fractions included, with the `name` of the
    first one that is not done. If one fails, or if the caller asks to stop, the others stop at their next tick.
    """
    if not threads or len(tasks) < 2 or processors() == 1:
        found = {}
        for position, (label, task) in enumerate(tasks.items()):
            with part(position, len(tasks), name(label)):
                found[label] = task()
        tick(len(tasks), len(tasks))
        return found
    with one_blas_thread(), warnings.catch_warnings():  # tasks that change filters at the same time may leave them so
        return _Running(tasks, name).results()


class _Running:
    """Tasks in threads, with how far each of them is."""

    def __init__(self, tasks: Mapping[Any, Callable[[], Any]], name: Callable[[Any], str]) -> None:
        self.tasks, self.name = tasks, name
        self.waiting, self.taking = list(tasks), Lock()
        self.done = dict.fromkeys(tasks, 0.0)
        self.found: dict[Any, Any] = {}
        self.failed: dict[Any, BaseException] = {}
        self.stopped, self.changed = False, Event()

    def results(self) -> dict[Any, Any]:
        self._report()
        workers = [
            Thread(target=copy_context().run, args=(self._work,), name="side by side", daemon=True)
            for _ in range(AT_ONCE)
        ]
        try:
            for worker in workers:
                with suppress(RuntimeError):  # the system has no thread left
                    worker.start()
            while any(worker.is_alive() for worker in workers) and not self.failed:
                self.changed.wait(_SECONDS)
                self.changed.clear()
                self._report()
            self._work()  # what is left if no thread could be had
        finally:
            self.stopped = True
            end = monotonic() + GRACE
            for worker in workers:
                if worker.is_alive():
                    worker.join(max(end - monotonic(), 0.0))
        if self.failed:
            raise self._first_failure()
        tick(len(self.tasks), len(self.tasks))
        return {label: self.found[label] for label in self.tasks}

    def _report(self) -> None:
        at_hand = next((label for label in self.tasks if label not in self.found), None)
        tick(sum(self.done.values()), len(self.tasks), "" if at_hand is None else self.name(at_hand))

    def _work(self) -> None:
        """Do one task after the other until none is left."""
        while not self.stopped and not self.failed:
            with self.taking:
                if not self.waiting:
                    return
                label = self.waiting.pop(0)
            try:
                self.found[label] = self._run(label)
            except BaseException as error:
                self.failed[label] = error
            self.done[label] = 1.0
            self.changed.set()

    def _run(self, label: Any) -> Any:
        def report(done: float, total: float, _: str) -> bool:
            if total > 0:
                self.done[label] = max(self.done[label], min(done / total, 1.0))
            return not self.stopped and not self.failed

        with reporting(report):
            return self.tasks[label]()

    def _first_failure(self) -> BaseException:
        """What went wrong first in the order of the tasks; that others were stopped for it does not matter."""
        failed = [self.failed[label] for label in self.tasks if label in self.failed]
        return next((error for error in failed if not isinstance(error, Cancelled)), failed[0])
