from __future__ import annotations

import threading

import numpy as np
import pytest

from ammg.kernels.blocks import over_blocks


@pytest.mark.parametrize("workers", [1, 3])
def test_blocks_cover_every_row_once(workers):
    seen = np.zeros(1003, dtype=int)

    def work(start, stop):
        seen[start:stop] += 1

    over_blocks(work, 1003, block=100, workers=workers)
    assert (seen == 1).all()


@pytest.mark.parametrize("workers", [1, 3])
def test_progress_ends_at_the_number_of_rows_in_the_callers_thread(workers):
    calls = []
    over_blocks(
        lambda start, stop: None,
        250,
        block=100,
        workers=workers,
        tick=lambda done, rows: calls.append((done, rows, threading.current_thread())),
    )
    assert len(calls) == 3
    assert calls[-1][:2] == (250, 250)
    assert {call[2] for call in calls} == {threading.main_thread()}


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_in_the_work_reaches_the_caller(workers):
    def work(start, stop):
        raise KeyError(start)

    with pytest.raises(KeyError):
        over_blocks(work, 250, block=100, workers=workers)


def test_no_rows_are_no_work():
    over_blocks(lambda start, stop: pytest.fail("called"), 0)
