from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ammg.kernels.decision_rule import decision_rule, matches_from_weights

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


def test_a_weight_is_the_log_ratio_of_both_laws():
    law = matches_from_weights(WEIGHTS, OF_OTHER)
    assert law / law.sum() == pytest.approx(OF_MATCH)
