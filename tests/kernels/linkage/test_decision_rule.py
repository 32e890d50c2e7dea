from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ammg.kernels.linkage.decision_rule import decision_rule, decision_rule_of_bins, laws_from_weights

M = np.array([0.9, 0.8, 0.95])
U = np.array([0.1, 0.2, 0.05])
STATES = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
OF_MATCH = np.where(STATES, M, 1 - M).prod(axis=1)
OF_OTHER = np.where(STATES, U, 1 - U).prod(axis=1)
WEIGHTS = np.log(OF_MATCH / OF_OTHER)


@given(st.floats(0, 0.5), st.floats(0, 0.5))
def test_error_bounds_hold_and_every_pattern_has_one_decision(false_link, false_non_link):
    rule = decision_rule(WEIGHTS, OF_MATCH, OF_OTHER, false_link, false_non_link)
    links, non_links = rule.links(WEIGHTS), rule.non_links(WEIGHTS)
    assert OF_OTHER[links].sum() <= false_link + 1e-12
    assert OF_MATCH[non_links].sum() <= false_non_link + 1e-12
    assert not (links & non_links).any()


def test_thresholds_are_the_tightest_that_hold_the_bounds():
    order = np.argsort(-WEIGHTS)
    falling, law = WEIGHTS[order], OF_OTHER[order]
    links = np.searchsorted(np.cumsum(law), 0.02)  # so many of the best patterns fit under the bound
    assert links > 0
    assert decision_rule(WEIGHTS, OF_MATCH, OF_OTHER, 0.02, 0.1).upper == falling[links]


def test_no_errors_allowed_leave_everything_to_the_clerk():
    rule = decision_rule(WEIGHTS, OF_MATCH, OF_OTHER, 0.0, 0.0)
    assert not rule.links(WEIGHTS).any()
    assert not rule.non_links(WEIGHTS).any()


@pytest.mark.parametrize("shift", [0.0, 3.0, -5.0])
def test_pairs_are_taken_apart_into_matches_and_others(shift):
    matches, pairs = 1000.0, 1_000_000.0
    counts = matches * OF_MATCH + (pairs - matches) * OF_OTHER
    laws = laws_from_weights(WEIGHTS + shift, counts, matches)
    assert laws.match == pytest.approx(OF_MATCH)
    assert laws.other == pytest.approx(OF_OTHER)


@given(st.floats(0, 0.3), st.floats(0, 0.3), st.integers(0, 2**32 - 1))
@example(0.005, 0.0, 0)  # two of 400 weights: a share equal to its bound
def test_thresholds_of_a_histogram_hold_the_bounds_for_the_weights_in_it(false_link, false_non_link, seed):
    rng = np.random.default_rng(seed)
    match, other = rng.normal(2, 1.5, 300), rng.normal(-2, 1.5, 400)
    edges = np.linspace(-10, 10, 101)
    of_match, of_other = (np.histogram(-side, -edges[::-1])[0][::-1].astype(float) for side in (match, other))
    rule = decision_rule_of_bins(edges, of_match, of_other, false_link, false_non_link)
    assert (other > rule.upper).mean() <= false_link + 1e-12
    assert (match < rule.lower).mean() <= false_non_link + 1e-12
    assert rule.lower <= rule.upper
    closer = edges[np.searchsorted(edges, rule.upper) - 1]  # the next threshold would break the bound
    assert (other > closer).mean() > false_link or rule.upper == edges[1]


def test_bounds_that_one_threshold_holds_leave_nothing_to_the_clerk():
    edges = np.linspace(0, 4, 5)
    rule = decision_rule_of_bins(edges, np.array([0.0, 0.1, 0.4, 0.5]), np.array([0.8, 0.1, 0.1, 0.0]), 0.1, 0.2)
    assert rule == (2, 2)
