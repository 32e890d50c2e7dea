"""Two threads find what one finds, whether the second is quick, late or never there."""

import threading
import time

import numpy as np
import pytest
from late_helpers import HELPERS
from microaggregation_data import survey_like

from ammg.kernels.grouping import local_search
from ammg.kernels.grouping.local_search import _search, refine
from ammg.kernels.grouping.mdav import mdav_groups
from ammg.kernels.grouping.mixed_records import mixed_records, numeric_records
from ammg.kernels.grouping.neighbour_lists import neighbour_lists
from ammg.kernels.grouping.search_step import empty_step, partition_of
from ammg.kernels.grouping.steps_ahead import TAKEN, dismiss, give_orders, new_board, run_ahead
from ammg.kernels.splitmix import start_stream

RNG = np.random.default_rng(3)


def with_categories():
    values = np.column_stack([RNG.normal(size=600), RNG.integers(0, 4, (600, 2))])
    values[::9, 0] = np.nan
    return mixed_records(values, np.array([False, True, True]))


FILES = {
    "few groups, which change often": numeric_records(RNG.normal(size=(40, 2))),
    "skewed": numeric_records(np.exp(RNG.normal(size=(2_000, 4)))),
    "many ties": numeric_records(RNG.integers(0, 4, (900, 3)).astype(float)),
    "survey": numeric_records(survey_like(1_500, 1)),
    "categories and gaps": with_categories(),
}


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("name", FILES)
def test_the_groups_do_not_depend_on_the_helper(name, k, monkeypatch):
    records, n = FILES[name], len(FILES[name].values)
    start = np.minimum(np.arange(n) // k, n // k - 1)

    def refined():
        return refine(records, start, k, np.random.default_rng(1), 3_000)

    monkeypatch.setattr(local_search, "has_spare_processor", lambda: False)
    alone = refined()
    monkeypatch.setattr(local_search, "has_spare_processor", lambda: True)
    monkeypatch.setattr(local_search, "_MANY", 0)
    monkeypatch.setattr(local_search, "_CHUNK", 500)
    for beside in HELPERS.values():
        monkeypatch.setattr(local_search, "helped_by", beside)
        np.testing.assert_array_equal(refined(), alone)


def test_steps_tried_ahead_are_taken_over_and_change_nothing():
    data = survey_like(1_500, 2)
    records, group = numeric_records(data), mdav_groups(data, 3)
    lists, start = neighbour_lists(records, 12, np.random.default_rng(1)), start_stream(np.random.default_rng(2))
    found = []
    for has_helper in (False, True):
        step, state = empty_step(8, 3), partition_of(group.copy(), 3)
        board = new_board(step, has_helper=has_helper)
        if has_helper:
            run_ahead_until_full(board, records, state, lists, start)
        change = _search(records, state, lists, step, board, 3, start, start.copy(), 0, 300, 300, 0.01)
        found.append((change, state.group, board.tally[TAKEN]))
    (alone, groups, none), (helped, same, taken) = found
    assert none == 0
    assert taken > 20
    assert helped == alone < 0
    np.testing.assert_array_equal(same, groups)


def run_ahead_until_full(board, records, state, lists, start):
    """Let a helper fill all slots of the board before the main thread begins."""
    args = board, records, state, lists, empty_step(8, 3), 3, start, start.copy()
    thread = threading.Thread(target=run_ahead, args=args, daemon=True)
    thread.start()
    give_orders(board, 0, 500, 500)
    try:
        deadline = time.monotonic() + 120
        while not board.records[-1].any() and time.monotonic() < deadline:
            time.sleep(0.001)
        assert board.records[-1].any()
    finally:
        dismiss(board)
        thread.join()


def test_a_helper_of_little_use_rests_and_is_tried_again():
    board = new_board(empty_step(8, 3), has_helper=True)
    resting = []
    for chunk in range(12):
        give_orders(board, 100 * chunk, 100, 50)
        resting.append(int(board.flags[48]))
        board.tally[TAKEN] = 5 if chunk < 6 else 50
    assert resting == [0, 2, 2, 2, 2, 0, 2, 2, 2, 2, 0, 0]
