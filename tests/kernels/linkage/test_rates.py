from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ammg.kernels.linkage.rates import link_credit, precision_curve, wilson_interval, zone_rate


def test_links_to_a_duplicate_are_right_by_chance():
    links, origin = np.array([1, 0, 2, -1, 2]), np.array([0, 0, 2, 1, -1])
    assert link_credit(links, origin).tolist() == [0, 1, 1, 0, 0]
    assert link_credit(links, origin, np.array([0, 0, 1])).tolist() == [0.5, 0.5, 1, 0, 0]


def test_equal_masked_records_share_their_links():
    links, origin = np.array([0, 5, 3, 2]), np.array([5, 0, 2, 1])
    people, records = np.arange(6), np.array([0, 0, 1, 2])
    assert link_credit(links, origin, people, records).tolist() == [0.5, 0.5, 0, 0]
    twins = np.array([0, 1, 2, 2, 4, 0])  # people 0 and 5 are alike, and 2 and 3
    assert link_credit(links, origin, twins, records).tolist() == [0.5, 0.5, 0.5, 0]


def test_precision_counts_equal_weights_together():
    curve = precision_curve(np.array([3.0, 5.0, 3.0, 1.0]), np.array([1.0, 1.0, 0.0, 0.0]))
    assert curve.threshold.tolist() == [5, 3, 1]
    assert curve.made.tolist() == [1, 3, 4]
    assert curve.right.tolist() == [1, 2, 2]


def test_the_zone_ends_at_the_last_place_where_precision_holds():
    right = np.array([1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0.0])
    curve = precision_curve(np.arange(12, 0, -1.0), right)
    assert zone_rate(curve, 12, 0.5) == pytest.approx(2 / 12)
    assert zone_rate(curve, 12, 0.2) == pytest.approx(3 / 12)
    assert zone_rate(curve, 12, 0.9) == pytest.approx(1 / 12)


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30), st.floats(0.01, 1))
def test_the_zone_never_exceeds_the_whole_file(links, precision):
    weights, right = np.array(links, dtype=float).T
    assert zone_rate(precision_curve(weights, right), len(links), precision) <= right.mean() + 1e-12


def test_wilson_intervals_of_newcombe():
    """Newcombe (1998), Table I, score method without continuity correction."""
    for successes, trials, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)):
        interval = wilson_interval(successes, trials)
        assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)
    assert round(wilson_interval(1, 29).low, 4) == 0.0061


def test_a_share_of_none_or_all_lies_in_its_interval():
    for trials in range(1, 400):
        assert wilson_interval(0, trials).low == 0
        assert wilson_interval(trials, trials).high == 1


def test_no_trials_say_nothing():
    assert tuple(wilson_interval(0, 0)) == (0, 1)
