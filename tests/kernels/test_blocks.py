from __future__ import annotations

import threading

import numpy as np
import pytest

from ammg.errors import Cancelled
from ammg.kernels.blocks import in_rows, over_blocks
from ammg.progress import reporting, tick


@pytest.fixture(params=[1, 3], autouse=True)
def processors(request, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: request.param)


def test_blocks_cover_every_row_once():
    seen = np.zeros(1003, dtype=int)

    def work(start, stop):
        seen[start:stop] += 1

    over_blocks(work, 1003, block=100)
    assert (seen == 1).all()


def test_progress_ends_at_the_number_of_rows_in_the_callers_thread():
    calls = []
    with reporting(lambda done, rows, label: calls.append((done, rows, threading.current_thread()))):
        over_blocks(lambda start, stop: None, 250, block=100)
    assert calls == sorted(calls, key=lambda call: call[0])
    assert calls[-1][:2] == (250, 250)
    assert {call[2] for call in calls} == {threading.main_thread()}


def test_an_error_in_the_work_reaches_the_caller():
    def work(start, stop):
        raise KeyError(start)

    with pytest.raises(KeyError):
        over_blocks(work, 250, block=100)


def test_no_rows_are_no_work():
    over_blocks(lambda start, stop: pytest.fail("called"), 0)


def test_work_may_go_over_blocks_of_its_own():
    seen = np.zeros((8, 300), dtype=int)

    def inner(row):
        over_blocks(lambda start, stop: seen[row, start:stop].__iadd__(1), 300, block=10)

    over_blocks(lambda start, stop: [inner(row) for row in range(start, stop)], 8, block=1)
    assert (seen == 1).all()


def test_blocks_may_tick_after_the_last_one_was_taken():
    ticked = []

    def work(start, stop):
        for _ in range(10):
            threading.Event().wait(0.001)
            tick(0, 1)
        ticked.append(start)

    over_blocks(work, 8, block=1)
    assert sorted(ticked) == list(range(8))


def test_the_error_is_told_and_not_that_other_blocks_were_stopped_for_it(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 3)
    taken, both = [], threading.Barrier(3)

    def work(start, stop):
        is_helper = threading.current_thread() is not threading.main_thread()
        if is_helper:
            taken.append(start)
        both.wait(10)
        if is_helper and start == max(taken):
            raise KeyError(start)
        while is_helper:  # until it is stopped
            threading.Event().wait(0.001)
            tick(0, 1)

    with pytest.raises(KeyError):
        over_blocks(work, 3, block=1)


def test_after_an_error_nothing_is_still_being_written():
    ended = []

    def work(start, stop):
        if start == 0:
            raise KeyError(start)
        threading.Event().wait(0.05)
        ended.append(start)

    with pytest.raises(KeyError):
        over_blocks(work, 400, block=100)
    before = list(ended)
    threading.Event().wait(0.2)
    assert ended == before


def test_rows_become_contiguous_once():
    values = np.asfortranarray(np.random.default_rng(0).normal(size=(40_000, 3)))
    copy = in_rows(values)
    assert copy.flags.c_contiguous
    assert (copy == values).all()
    assert in_rows(copy) is copy


@pytest.mark.parametrize("rows", [50, 300])
def test_a_brief_pass_does_not_move_the_progress_but_can_be_stopped(rows: int) -> None:
    told: list[float] = []
    with reporting(lambda done, total, name: told.append(done)):
        over_blocks(lambda start, stop: None, rows, block=100, brief=True)
    assert set(told) == {0}
    with reporting(lambda *_: False), pytest.raises(Cancelled):
        over_blocks(lambda start, stop: None, rows, block=100, brief=True)
