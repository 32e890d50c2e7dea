"""Several things at a time, in threads, for callers who see one progress, one error and results in order.

Results do not depend on the number of threads. `over_blocks` in `blocks` does the same for blocks of rows.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from time import monotonic
from typing import Any, TypeVar

from ammg.errors import Cancelled
from ammg.kernels.blas import one_blas_thread
from ammg.progress import part, reporting, tick

In = TypeVar("In")
Out = TypeVar("Out")
Label = TypeVar("Label")

WORTH_A_THREAD = 1 << 17
"""Values in total; below this, a thread costs more than it saves."""
AT_ONCE = 2
"""Large tasks at the same time: each has its own arrays, and most use several processors where it pays."""
GRACE = 2.0
"""Seconds that large tasks have to end when they are to stop; then the caller goes on without them."""
_SECONDS = 0.05  # between two reports of progress


class _Inside(threading.local):
    """What is true of the current thread."""

    worker = False


_inside = _Inside()


def processors() -> int:
    """How many processors this process may use.

    Where several processes share them, as in a search, `OMP_NUM_THREADS` allows each of them one thread.
    """
    return 1 if os.environ.get("OMP_NUM_THREADS") == "1" else os.cpu_count() or 1


def mark_as_worker() -> None:
    """Mark the current thread as one of several that use all processors."""
    _inside.worker = True


def is_worker() -> bool:
    """Whether the current thread should start no others: they would find no processor."""
    return _inside.worker


def has_spare_processor() -> bool:
    """Whether a second thread may wait for work beside this one, and has a processor of its own."""
    if is_worker() or os.name != "posix" or processors() == 1:
        return False
    from joblib import cpu_count  # which knows the limits of containers

    return bool(cpu_count() > 1)


def in_threads(
    work: Callable[[In], Out],
    items: Iterable[In],
    values: int,
    *,
    brief: bool = True,
    name: Callable[[In], str] | None = None,
) -> list[Out]:
    """The results for all items, columns for instance, in order; in threads if `values`, all values together, are many.

    `work` finds the caller's context in its thread, so `np.errstate` holds there as well, and BLAS uses one thread.
    Progress is reported in the caller's thread, which can also stop the work at its next tick; a `brief` pass before
    the main work does not move it. If an item fails, the others stop too. Inside `work`, `in_threads` starts no further
    threads, and `over_blocks` uses those that are there.
    """
    items = list(items)
    shown = name or _without_name
    workers = min(len(items), processors()) if values >= WORTH_A_THREAD and not is_worker() else 1
    if workers > 1:
        return _Running(work, items, shown, brief=brief, marked=True).results(workers)
    if brief:
        return [work(item) for item in items]
    found = []
    for position, item in enumerate(items):
        with part(position, len(items), shown(item)):
            found.append(work(item))
    return found


def side_by_side(
    tasks: Mapping[Label, Callable[[], Out]], *, threads: bool, name: Callable[[Label], str] = str
) -> dict[Label, Out]:
    """The results of large tasks, which use threads of their own; with `threads`, of several at the same time.

    Progress is the number of tasks done, fractions included, with the `name` of the first one that is not done. Tasks
    that do not tick go on in the background if the caller stops them or another one fails.
    """
    labels = list(tasks)
    if threads and len(labels) > 1 and processors() > 1:
        running = _Running(lambda label: tasks[label](), labels, name)
        with warnings.catch_warnings():  # tasks that change filters at the same time may leave them so
            return dict(zip(labels, running.results(AT_ONCE, GRACE), strict=True))
    found = {}
    for position, label in enumerate(labels):
        with part(position, len(labels), name(label)):
            found[label] = tasks[label]()
    tick(len(labels), len(labels))
    return found


@contextmanager
def helped_by(work: Callable[[], object], end: Callable[[], object]) -> Iterator[None]:
    """Let another thread do `work` meanwhile, if it can be had; `end` tells it to return.

    It may start late or never, or fail, so its work may help but must not be needed. It does not outlive the program.
    """
    thread = threading.Thread(target=_tried, args=(work,), name="helper", daemon=True)
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


def _without_name(_: object) -> str:
    return ""


class _Running:
    """Work on several items in threads, with how far each of them is."""

    def __init__(
        self,
        work: Callable[[Any], Any],
        items: Sequence[Any],
        name: Callable[[Any], str],
        *,
        brief: bool = False,
        marked: bool = False,
    ) -> None:
        self.work, self.items, self.name, self.brief, self.marked = work, items, name, brief, marked
        self.waiting, self.taking = list(range(len(items)))[::-1], threading.Lock()
        self.done = [0.0] * len(items)
        self.found: dict[int, Any] = {}
        self.failed: dict[int, BaseException] = {}
        self.stopped, self.changed = False, threading.Event()

    def results(self, workers: int, grace: float | None = None) -> list[Any]:
        """All results in order. If one fails, threads are left behind that go on for more than `grace` seconds."""
        threads = [
            threading.Thread(target=copy_context().run, args=(self._as_worker,), name="side by side", daemon=True)
            for _ in range(workers)
        ]
        with one_blas_thread():
            try:
                self._report()
                for thread in threads:
                    with suppress(RuntimeError):  # the system has no thread left
                        thread.start()
                while (
                    len(self.found) < len(self.items)
                    and not self.failed
                    and any(map(threading.Thread.is_alive, threads))
                ):
                    self.changed.wait(_SECONDS)
                    self.changed.clear()
                    self._report()
                self._take_all()  # what is left if no thread could be had
            finally:
                self.stopped = True
                end = None if grace is None else monotonic() + grace
                for thread in filter(threading.Thread.is_alive, threads):
                    thread.join(None if end is None else max(end - monotonic(), 0.0))
        if self.failed:
            raise self._first_failure()
        self._report()
        return [self.found[place] for place in range(len(self.items))]

    def _report(self) -> None:
        left = next((place for place in range(len(self.items)) if place not in self.found), None)
        named = "" if left is None else self.name(self.items[left])
        tick(0 if self.brief else sum(self.done), len(self.items), named)

    def _as_worker(self) -> None:
        if self.marked:
            mark_as_worker()
        self._take_all()

    def _take_all(self) -> None:
        """Do one item after the other until none is left."""
        while not self.stopped and not self.failed:
            with self.taking:
                if not self.waiting:
                    return
                place = self.waiting.pop()
            try:
                self.found[place] = self._run(place)
            except BaseException as error:
                self.failed[place] = error
            self.done[place] = 1.0
            self.changed.set()

    def _run(self, place: int) -> Any:
        def report(done: float, total: float, _: str) -> bool:
            if total > 0:
                self.done[place] = max(self.done[place], min(done / total, 1.0))
            return not self.stopped and not self.failed

        with reporting(report):
            return self.work(self.items[place])

    def _first_failure(self) -> BaseException:
        """What went wrong first in the order of the items; that others were stopped for it does not matter."""
        failed = [self.failed[place] for place in sorted(self.failed)]
        return next((error for error in failed if not isinstance(error, Cancelled)), failed[0])
