"""Two threads find what one finds, whether the second is quick, slow, late or never there."""

import threading
import time

import numpy as np
import pytest
from late_helpers import HELPERS
from microaggregation_data import survey_like

from ammg.kernels.grouping import mdav
from ammg.kernels.grouping.farthest_records import draw_outline, find_farthest
from ammg.kernels.grouping.job_board import (
    Finder,
    copied,
    dismiss,
    farthest_left,
    help_out,
    is_helped,
    new_board,
    post,
)
from ammg.kernels.grouping.removal_tree import build_tree, remove
from ammg.kernels.jit import jit

RNG = np.random.default_rng(3)
FILES = {
    "skewed": np.exp(RNG.normal(size=(12_000, 6))),
    "gaussian": RNG.normal(size=(9_000, 3)),
    "far from zero": 1e9 + RNG.normal(size=(8_000, 4)),
    "many ties": RNG.integers(0, 6, (9_000, 4)).astype(float),
    "all equal": np.ones((6_000, 2)),
    "survey": survey_like(7_000, 1),
}


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("name", FILES)
def test_the_groups_do_not_depend_on_the_helper(name, k, monkeypatch):
    monkeypatch.setattr(mdav, "has_spare_processor", lambda: False)
    alone = mdav.mdav_by_tree(FILES[name], k)
    monkeypatch.setattr(mdav, "has_spare_processor", lambda: True)
    monkeypatch.setattr(mdav, "_MANY", 0)
    for beside in HELPERS.values():
        monkeypatch.setattr(mdav, "helped_by", beside)
        np.testing.assert_array_equal(mdav.mdav_by_tree(FILES[name], k), alone)


def test_the_groups_are_those_of_one_thread_with_the_real_helper(monkeypatch):
    data = np.exp(RNG.normal(size=(30_000, 4)))
    monkeypatch.setattr(mdav, "has_spare_processor", lambda: False)
    alone = mdav.mdav_groups(data, 3)
    monkeypatch.setattr(mdav, "has_spare_processor", lambda: True)
    np.testing.assert_array_equal(mdav.mdav_groups(data, 3), alone)


def test_a_helper_without_memory_or_with_an_error_is_done_without(monkeypatch):
    data = FILES["gaussian"]
    alone = mdav.mdav_by_tree(data, 3)
    monkeypatch.setattr(mdav, "has_spare_processor", lambda: True)
    monkeypatch.setattr(mdav, "_MANY", 0)

    def fails(error):
        def fail(*_):
            raise error

        return fail

    with monkeypatch.context() as once:
        once.setattr(mdav, "copied", fails(MemoryError()))
        np.testing.assert_array_equal(mdav.mdav_by_tree(data, 3), alone)
    monkeypatch.setattr(mdav, "help_out", fails(OSError("no space left")))
    np.testing.assert_array_equal(mdav.mdav_by_tree(data, 3), alone)


@jit
def _judge(board, rounds):
    helped = 0
    for _ in range(rounds):
        helped += is_helped(board)
    return helped


def test_a_helper_that_answers_nothing_rests_and_is_tried_again():
    board = new_board(10, has_helper=True)
    assert _judge(board, 1_000) == 999  # the last of them judges it
    assert _judge(board, 4_000) == 1  # a pause, of which the last round ends it
    assert _judge(board, 999) == 999
    board.tally[2] = 300  # answers: enough
    assert _judge(board, 1_000) == 1_000
    assert _judge(new_board(10, has_helper=False), 10) == 0


@jit
def _post(board, seeds):
    post(board, seeds)


@jit
def _ask(board, finder, data, seed, group):
    return farthest_left(board, finder, data, seed, group)


def new_pair(data):
    tree = build_tree(data, np.arange(len(data)))
    finder = Finder(tree, draw_outline(tree, data.mean(axis=0)))
    return finder, new_board(len(data), has_helper=True), np.full(len(data), -1)


def test_an_answer_that_has_left_meanwhile_is_not_used():
    data = FILES["skewed"]
    finder, board, group = new_pair(data)
    helper = copied(finder)
    farthest = find_farthest(finder.tree, finder.outline, data[5])
    _post(board, np.array([5, -1]))
    thread = threading.Thread(target=lambda: help_out(board, helper, data), daemon=True)
    thread.start()
    try:
        deadline = time.monotonic() + 60
        while board.farthest[0] < 0 and time.monotonic() < deadline:
            time.sleep(0.001)
        assert board.farthest[0] == farthest
        remove(finder.tree, farthest)  # the helper is not told
        group[farthest] = 0
        second = find_farthest(finder.tree, finder.outline, data[5])
        assert _ask(board, finder, data, 5, group) == second != farthest
        assert board.by_helper[0] == 1
    finally:
        dismiss(board)
        thread.join()


def test_a_job_that_a_helper_claimed_and_left_is_done_by_the_main_thread():
    data = FILES["gaussian"]
    finder, board, group = new_pair(data)
    _post(board, np.array([5, 8]))
    board.states[0] = 1
    assert _ask(board, finder, data, 5, group) == find_farthest(finder.tree, finder.outline, data[5])
    assert board.farthest[1] == find_farthest(finder.tree, finder.outline, data[8])  # done while it waited
    for seed in range(10, 60):
        _post(board, np.array([seed]))
    assert board.seeds[0] == 5  # its place is not given away: the helper may still write there
