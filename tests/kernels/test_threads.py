"""Several things at a time look like one to the caller."""

from __future__ import annotations

import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from threading import current_thread, main_thread
from time import sleep

import numpy as np
import pytest

from ammg.errors import Cancelled, InputError
from ammg.kernels import threads as module
from ammg.kernels.blocks import over_blocks
from ammg.kernels.threads import both, has_spare_processor, helped_by, in_threads, side_by_side, waiting
from ammg.progress import reporting, tick


@pytest.fixture(autouse=True)
def _two_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)


def refuse_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(module, "start_new_thread", refuse)
    monkeypatch.setattr(module, "_idle", [])


@pytest.mark.parametrize(
    ("cores", "allowed", "quota", "expected"),
    [(8, 8, "max 100000", 8), (8, 3, "max 100000", 3), (8, 8, "250000 100000", 3), (8, 8, "50000 100000", 1)],
)
def test_processes_use_no_more_processors_than_the_system_allows(
    cores: int, allowed: int, quota: str, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: cores)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(allowed)), raising=False)
    monkeypatch.setattr("pathlib.Path.read_text", lambda _: quota)
    monkeypatch.setattr(module, "_ALLOWED", module._allowed())
    assert module.processors() == expected
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert module.processors() == 1
    assert module.allowed_processors() == expected  # for processes of one thread each


def test_threads_keep_the_order() -> None:
    assert in_threads(lambda x: x * x, range(20), 10**9) == [x * x for x in range(20)]


LEFT_BEHIND = """
import sys, time
from ammg.kernels.threads import Helper, are_working
def work():
    time.sleep(0.5)
    print("ended", flush=True)
Helper(work).start()
while not are_working():
    time.sleep(0.001)
sys.exit(130)
"""


def test_a_program_that_ends_waits_for_threads_left_behind() -> None:
    done = subprocess.run([sys.executable, "-c", LEFT_BEHIND], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (130, "ended\n")


def test_no_more_items_at_a_time_than_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 8)
    at_work: list[int] = []
    counts: list[int] = []

    def work(item: int) -> None:
        at_work.append(item)
        counts.append(len(at_work))
        sleep(0.002)
        at_work.remove(item)

    in_threads(work, range(20), 10**9, most=2)
    assert max(counts) <= 2 < len(counts)
    together = threading.Barrier(3)
    in_threads(lambda _: together.wait(20), range(3), 10**9)  # which two threads could not pass


@pytest.mark.parametrize("values", [1, 10**9])
def test_both_results_come_in_the_order_of_the_calls(values: int) -> None:
    def late() -> str:
        sleep(0.01)
        return "first"

    assert both(late, lambda: 2, values) == ("first", 2)


def test_threads_ignore_what_the_caller_ignores() -> None:
    with np.errstate(over="ignore"):
        found = in_threads(lambda x: np.float64(x) * 1e10, [1.0, 1e300], 10**9)
    assert found == [1e10, np.inf]


def test_threads_for_columns_leave_no_processor_to_spare() -> None:
    if not has_spare_processor():
        pytest.skip("this machine or container has one processor")
    assert in_threads(lambda _: has_spare_processor(), range(3), 10**9) == [False] * 3


def test_the_caller_stops_threads_in_the_middle_of_their_columns() -> None:
    heard, ended = [], []

    def report(done: float, total: float, label: str) -> bool:
        heard.append((done, total, current_thread()))
        return False

    def work(column: int) -> None:
        for _ in range(1000):
            tick(1, 2)
            sleep(0.01)
        ended.append(column)

    with reporting(report), pytest.raises(Cancelled):
        in_threads(work, range(4), 10**9)
    assert heard == [(0, 4, main_thread())]
    assert not ended


def test_an_error_in_one_column_stops_the_others() -> None:
    ended = []

    def work(column: int) -> None:
        if column == 1:
            raise ValueError("wrong")
        for _ in range(1000):
            tick(1, 2)
            sleep(0.01)
        ended.append(column)

    with pytest.raises(ValueError, match="wrong"):
        in_threads(work, range(4), 10**9)
    assert not ended


@pytest.mark.parametrize("outer", ["blocks", "columns"])
def test_threads_within_threads_work_on_no_more_than_there_are_processors(outer: str) -> None:
    at_work, most = [], []

    def innermost(_: int) -> None:
        at_work.append(1)
        most.append(len(at_work))
        sleep(0.002)
        at_work.pop()

    def inner() -> None:
        in_threads(innermost, range(8), 10**9)

    if outer == "blocks":
        over_blocks(lambda start, stop: inner(), 5, block=1)
    else:
        in_threads(lambda _: inner(), range(5), 10**9)
    assert len(most) == 40
    assert max(most) == 2


def test_a_thread_that_is_left_alone_uses_all_processors() -> None:
    alone, together = threading.Event(), threading.Barrier(2)

    def work(item: int) -> None:
        if item == 0:
            alone.set()
        else:
            alone.wait(30)
            while module.count_present(module._at_work) > 1:
                sleep(0.001)
            in_threads(lambda _: together.wait(30), range(2), 10**9)  # breaks unless both run at the same time

    in_threads(work, range(2), 10**9)
    assert module._at_work == []


def test_a_thread_that_waits_for_another_leaves_it_its_processor() -> None:
    begun, ready, together = threading.Event(), threading.Event(), threading.Barrier(2)

    def work(item: int) -> None:
        if item == 0:
            begun.wait(30)
            with waiting():
                begun.clear()
                ready.wait(30)
        else:
            begun.set()
            while begun.is_set():
                sleep(0.001)
            in_threads(lambda _: together.wait(30), range(2), 10**9)  # breaks unless both run at the same time
            ready.set()

    in_threads(work, range(2), 10**9)
    assert module._at_work == []


@pytest.mark.parametrize("processors", [1, 2])
def test_progress_moves_with_the_items_if_it_is_to(processors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: processors)
    told, names = [], []
    with reporting(lambda done, total, label: (told.append((done, total)), names.append(label))):
        in_threads(lambda _: tick(1, 2), range(3), 10**9, brief=False, name=lambda item: f"item {item}")
    assert told == sorted(told)
    assert told[-1] == ((2.5, 3) if processors == 1 else (3, 3))
    assert names[0] == "item 0"


def _waiting_for(other: threading.Barrier, answer: str) -> Callable[[], str]:
    def task() -> str:
        other.wait(timeout=30)
        return answer

    return task


def test_two_tasks_run_at_the_same_time_and_answer_in_their_order() -> None:
    both = threading.Barrier(2)
    tasks = {name: _waiting_for(both, name.upper()) for name in ("a", "b")}
    assert list(side_by_side(tasks, threads=True).items()) == [("a", "A"), ("b", "B")]


@pytest.mark.parametrize("threads", [False, True])
def test_progress_is_reported_in_the_callers_thread(threads: bool) -> None:
    told: list[tuple[float, float, str, bool]] = []
    here = threading.get_ident()

    def report(done: float, total: float, name: str) -> None:
        told.append((done, total, name, threading.get_ident() == here))

    def task() -> None:
        tick(1, 2)

    with reporting(report):
        side_by_side({"a": task, "b": task, "c": task}, threads=threads)
    done = [each[0] for each in told]
    assert done == sorted(done)
    assert told[0][:3] == (0, 3, "a")
    assert told[-1][:3] == (3, 3, "")
    assert all(same_thread for *_, same_thread in told)


class Patient:
    """A task that ticks until it is stopped, and tells how it ended."""

    def __init__(self) -> None:
        self.begun, self.ended = threading.Event(), ""

    def __call__(self) -> None:
        self.begun.set()
        try:
            for _ in range(30_000):
                tick(0, 1)
                threading.Event().wait(0.001)
            self.ended = "by itself"
        except Cancelled:
            self.ended = "stopped"


def test_a_caller_who_asks_to_stop_stops_tasks_that_run_and_no_other_begins() -> None:
    a, b, c = Patient(), Patient(), Patient()
    with reporting(lambda *_: not (a.begun.is_set() and b.begun.is_set())), pytest.raises(Cancelled):
        side_by_side({"a": a, "b": b, "c": c}, threads=True)
    assert (a.ended, b.ended, c.begun.is_set()) == ("stopped", "stopped", False)


def test_a_caller_does_not_wait_for_a_task_that_does_not_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GRACE", 0.05)
    begun, end = threading.Event(), threading.Event()

    def deaf() -> None:
        begun.set()
        end.wait(60)

    with reporting(lambda *_: not begun.is_set()), pytest.raises(Cancelled):
        side_by_side({"a": deaf, "b": deaf}, threads=True)
    assert not end.is_set()
    end.set()


@pytest.mark.parametrize("threads", [False, True])
def test_what_goes_wrong_in_one_task_stops_the_others_and_is_raised(threads: bool) -> None:
    b, c = Patient(), Patient()

    def wrong() -> None:
        if threads:
            b.begun.wait(30)
        raise InputError("Column 'x' is odd.")

    with pytest.raises(InputError, match="is odd"):
        side_by_side({"a": wrong, "b": b, "c": c}, threads=threads)
    assert (b.ended, c.begun.is_set()) == ("stopped" if threads else "", False)


def test_where_no_thread_can_be_had_the_caller_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_threads(monkeypatch)
    here = threading.get_ident()
    assert side_by_side({"a": threading.get_ident, "b": threading.get_ident}, threads=True) == {"a": here, "b": here}
    assert in_threads(lambda _: threading.get_ident(), range(2), 10**9) == [here, here]
    seen = set()
    over_blocks(lambda start, stop: seen.add(threading.get_ident()), 4, block=1)
    assert seen == {here}


def test_filters_of_warnings_are_afterwards_as_they_were() -> None:
    first, second = threading.Event(), threading.Event()

    def outer() -> None:  # enters first and leaves first, so that the other one restores this one's filters
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            first.set()
            second.wait(30)

    def inner() -> None:
        first.wait(30)
        with warnings.catch_warnings():
            second.set()
            threading.Event().wait(0.05)

    before = list(warnings.filters)
    side_by_side({"outer": outer, "inner": inner}, threads=True)
    assert warnings.filters == before


def test_a_thread_beside_ends_when_the_work_is_done_or_fails() -> None:
    begun, told, over = threading.Event(), threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        told.wait(60)
        over.set()

    def fail() -> None:
        begun.wait(60)
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"), helped_by(wait, told.set):
        fail()
    assert over.is_set()


def test_errors_of_a_thread_beside_and_the_lack_of_one_do_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = []

    def fail() -> None:
        raise OSError("no space left")

    with helped_by(fail, lambda: ended.append("failed")):
        pass

    refuse_threads(monkeypatch)
    with helped_by(fail, lambda: ended.append("not started")):
        pass
    assert ended == ["failed", "not started"]


def test_a_process_of_several_has_no_processor_to_spare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert not has_spare_processor()
