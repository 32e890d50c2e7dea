"""Several things at a time, in threads, for callers who see one progress, one error and results in order.

Results do not depend on the number of threads. `over_blocks` in `blocks` does the same for blocks of rows.

A user may interrupt the caller at any moment (Ctrl-C). Locks, events and pools written in Python can stay locked then,
and whoever asks for them next waits for ever. So this module shares nothing but lists, whose single operations nothing
interrupts, and queues written in C. A lock that serves a single call, such as one of two threads that add to the same
array, does no harm.
"""

from __future__ import annotations

import atexit
import math
import os
import threading
import warnings
from _thread import start_new_thread
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import copy_context
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
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
MANY = 20_000
"""Records from which on measures, or the parts of one, run side by side."""
AT_ONCE = 2
"""Measures or attacks at the same time: each has arrays of its own, and most use several processors where it pays."""
GRACE = 2.0
"""Seconds that large tasks have to end when they are to stop; then the caller goes on without them."""
_SECONDS = 0.05  # between two reports of progress, or two looks at a thread that may have ended unnoticed

_idle: list[SimpleQueue[Any]] = []
_at_work: list[Helper] = []
helping: list[Helper] = []
"""All helpers of `over_blocks` in this process: no more than there are processors."""
_begun: list[Helper] = []  # those whose work has begun and is not over

if hasattr(os, "register_at_fork"):  # a forked child does not inherit the threads
    for _list in (_idle, _at_work, helping, _begun):
        os.register_at_fork(after_in_child=_list.clear)


class Inside(threading.local):
    """What is true of the current thread."""

    worker = False
    """Whether it is one of several that already use all processors."""
    counted: Helper | None = None
    """Its entry among `_at_work`, if it has one."""
    blocks = False
    """Whether it is one of several that work on blocks of rows."""


inside = Inside()


def processors() -> int:
    """How many processors this process may use.

    Where several processes share them, as in a search, `OMP_NUM_THREADS` allows each of them one thread.
    """
    return 1 if os.environ.get("OMP_NUM_THREADS") == "1" else allowed_processors()


def allowed_processors() -> int:
    """The same for several processes of one thread each, whatever `OMP_NUM_THREADS` says."""
    return int(min(os.cpu_count() or 1, _ALLOWED))


def _allowed() -> float:
    """How many processors the system lets this process use, if that is not all of them: a batch job or a container."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else math.inf
    least = min(bound, _quota())
    return least if least < (os.cpu_count() or 1) else math.inf


def _quota() -> float:
    """The processors that the control group of this process may keep busy (Linux; both versions of groups)."""
    folder = Path("/sys/fs/cgroup")
    with suppress(OSError, ValueError):  # "max" is no number
        quota, period = map(float, (folder / "cpu.max").read_text().split())
        return max(math.ceil(quota / period), 1)
    with suppress(OSError, ValueError):
        quota, period = (float((folder / "cpu" / f"cpu.cfs_{name}_us").read_text()) for name in ("quota", "period"))
        return max(math.ceil(quota / period), 1) if quota > 0 else math.inf
    return math.inf


_ALLOWED = _allowed()


def mark_as_worker() -> None:
    """Mark the current thread as one of several that use all processors."""
    inside.worker = True


def is_worker() -> bool:
    """Whether the current thread should start no others: they would find no processor."""
    return inside.worker


def _free() -> int:
    """How many threads the current one may start: a worker starts as many as others have ended or wait."""
    if not inside.worker:
        return processors()
    return processors() + 1 - count_present(_at_work) if inside.counted else 1


@contextmanager
def waiting() -> Iterator[None]:
    """Leave the processor to others while the current thread waits for one of them."""
    mine = inside.counted
    if mine is None:
        yield
        return
    _at_work.remove(mine)
    try:
        yield
    finally:
        _at_work.append(mine)


def has_spare_processor() -> bool:
    """Whether a second thread would have a processor of its own, and may keep it busy while it waits for work."""
    return os.name == "posix" and processors() > 1 and not is_worker()


def in_threads(
    work: Callable[[In], Out],
    items: Iterable[In],
    values: int,
    *,
    brief: bool = True,
    name: Callable[[In], str] | None = None,
    most: int | None = None,
) -> list[Out]:
    """The results for all items, columns for instance, in order; in threads if `values`, all values together, are many.

    `most` limits how many items are worked on at a time, and so the memory that they need together.
    `work` finds the caller's context in its thread, so `np.errstate` holds there as well, and BLAS uses one thread.
    Progress is reported in the caller's thread, which can also stop the work at its next tick; a `brief` pass before
    the main work does not move it. If an item fails, the others stop too. Inside `work`, further threads start only as
    others come to their end or wait for a result of another.
    """
    items = list(items)
    shown = name or _without_name
    workers = min(len(items), _free(), most or len(items)) if values >= WORTH_A_THREAD else 1
    if workers > 1:
        return _Running(work, items, shown, brief=brief, marked=True).results(workers)
    if brief:
        return [work(item) for item in items]
    found = []
    for position, item in enumerate(items):
        with part(position, len(items), shown(item)):
            found.append(work(item))
    return found


def both(first: Callable[[], In], second: Callable[[], Out], values: int) -> tuple[In, Out]:
    """The results of two calls; in two threads if `values`, those that both work on together, are many."""
    results: list[Any] = in_threads(lambda work: work(), [first, second], values)
    return results[0], results[1]


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
    helper = Helper(work)
    try:
        helper.start()
        yield
    finally:
        try:
            end()
        except BaseException:  # interrupted once more: a helper that is not told to end never would
            end()
            raise
        finally:
            helper.finish()


class Helper:
    """Work for another thread, which may start late, or never if the system has no threads left."""

    def __init__(self, work: Callable[[], object], *, marked: bool = False) -> None:
        self.work, self.marked = work, marked
        self.begun = self.over = self.cancelled = False
        self.ended: SimpleQueue[None] = SimpleQueue()

    def start(self) -> bool:
        """Let a thread do the work; False if none can be had."""
        if self.marked:
            _at_work.append(self)
        try:
            _idle.pop().put(self)
        except IndexError:
            try:
                start_new_thread(_serve, (self,))
            except RuntimeError:
                return False
        return True

    def finish(self, seconds: float = float("inf")) -> None:
        """Wait until the work is not being done; it does not begin any more."""
        self.cancelled = True
        end = monotonic() + seconds
        while self.begun and not self.over and monotonic() < end:
            with suppress(Empty):
                self.ended.get(timeout=min(_SECONDS, max(end - monotonic(), 0.0)))
        count_present(_at_work)

    @property
    def is_past(self) -> bool:
        """Whether it has done its work, or never will."""
        return self.over or (self.cancelled and not self.begun)

    def run(self) -> None:
        """Do the work, in the thread; errors in it are ignored."""
        _begun.append(self)
        self.begun = True
        inside.worker, inside.counted = self.marked, self if self.marked else None
        try:
            if not self.cancelled:
                self.work()
        except BaseException:
            pass
        finally:
            inside.worker, inside.counted = False, None
            self.over = True
            _begun.remove(self)
            self.ended.put(None)


def are_working() -> bool:
    """Whether any thread is at work here, such as one that was left behind when its caller was interrupted."""
    return bool(_begun)


@atexit.register
def _wait_for_threads() -> None:
    """Give threads that were left behind some time: in libraries written in C++, one may abort an ending program."""
    end = monotonic() + GRACE
    for helper in tuple(_begun):
        helper.finish(end - monotonic())


def _serve(helper: Helper | None) -> None:
    """Do what is asked for, then wait to be asked again."""
    mine: SimpleQueue[Helper] = SimpleQueue()
    while True:
        assert helper is not None
        helper.run()
        helper = None  # what it holds is needed no longer
        _idle.append(mine)
        helper = mine.get()


def count_present(helpers: list[Helper]) -> int:
    """How many helpers of a list still work or will; the others leave it."""
    for helper in tuple(helpers):
        if helper.is_past:
            with suppress(ValueError):  # another thread was faster
                helpers.remove(helper)
    return len(helpers)


def first_failure(failed: Mapping[int, BaseException]) -> BaseException:
    """What went wrong first in the order of places; that others were stopped for it does not matter."""
    in_order = [failed[place] for place in sorted(failed)]
    return next((error for error in in_order if not isinstance(error, Cancelled)), in_order[0])


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
        self.waiting = list(range(len(items)))[::-1]
        self.done = [0.0] * len(items)
        self.found: dict[int, Any] = {}
        self.failed: dict[int, BaseException] = {}
        self.stopped, self.changed = False, SimpleQueue[None]()

    def results(self, workers: int, grace: float = float("inf")) -> list[Any]:
        """All results in order. If one fails, threads are left behind that go on for more than `grace` seconds."""
        helpers = [Helper(partial(copy_context().run, self._take_all), marked=self.marked) for _ in range(workers)]
        with one_blas_thread():
            try:
                self._report()
                started = [helper for helper in helpers if helper.start()]
                if not started:  # the system has no threads left
                    self._take_all()
                while len(self.found) < len(self.items) and not self.failed:
                    with suppress(Empty):
                        self.changed.get(timeout=_SECONDS)
                    self._report()
            finally:
                self.stopped = True
                end = monotonic() + grace
                for helper in helpers:
                    helper.finish(end - monotonic())
        if self.failed:
            raise first_failure(self.failed)
        self._report()
        return [self.found[place] for place in range(len(self.items))]

    def _report(self) -> None:
        left = next((place for place in range(len(self.items)) if place not in self.found), None)
        named = "" if left is None else self.name(self.items[left])
        tick(0 if self.brief else sum(self.done), len(self.items), named)

    def _take_all(self) -> None:
        """Do one item after the other until none is left."""
        while self.waiting and not self.stopped and not self.failed:
            try:
                place = self.waiting.pop()
            except IndexError:  # another thread was faster
                return
            try:
                self.found[place] = self._run(place)
            except BaseException as error:
                self.failed[place] = error
            self.done[place] = 1.0
            self.changed.put(None)

    def _run(self, place: int) -> Any:
        def report(done: float, total: float, _: str) -> bool:
            if total > 0:
                self.done[place] = max(self.done[place], min(done / total, 1.0))
            return not self.stopped and not self.failed

        with reporting(report):
            return self.work(self.items[place])
