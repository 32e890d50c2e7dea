"""Several computations at the same time look like one to the caller."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import ammg
from ammg.errors import Cancelled, InputError
from ammg.pipeline import side_by_side as module
from ammg.pipeline.side_by_side import side_by_side
from ammg.progress import reporting, tick


@pytest.fixture(autouse=True)
def _processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "processors", lambda: 2)


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
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    here = threading.get_ident()
    assert side_by_side({"a": threading.get_ident, "b": threading.get_ident}, threads=True) == {"a": here, "b": here}


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


def test_measures_side_by_side_find_what_they_find_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    data = ammg.datasets.survey(3000, seed=4)
    data = ammg.Microdata(data).with_roles(key=["age", "sex", "region"], confidential=["income", "wages"])
    steps = [ammg.RankSwapping(columns=["income"], p=5), ammg.Pram(columns=["region"], stay=0.7)]
    masked = ammg.Pipeline(steps).run(data, 1)
    one_by_one = ammg.evaluate(masked)
    monkeypatch.setattr("ammg.pipeline.evaluation.MANY", 0)
    again = ammg.Pipeline(steps).run(ammg.Microdata(data.table, data.schema), 1)
    together = ammg.evaluate(again)
    assert list(together) == list(one_by_one)
    for label in one_by_one:
        for before, after in ((one_by_one[label], together[label]), *_both(one_by_one, together, label)):
            assert after.value == pytest.approx(before.value, rel=1e-12, nan_ok=True)
            records = before.people.by_record, after.people.by_record
            assert all(part is None for part in records) or np.allclose(*records, rtol=1e-12)


def _both(one: ammg.Evaluation, other: ammg.Evaluation, label: str) -> list[tuple[ammg.Measurement, ammg.Measurement]]:
    return [(one.before[label], other.before[label])] if label in one.before else []
