from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.criteria.cluster_risk import cluster_risk
from ammg.kernels.anonymity.cells import count_cells


def test_the_patients_of_the_ammg_paper():
    """Age and State of the ten patients: clusters of 3, 3, 2, 1 and 1 records."""
    age = np.array([2, 2, 4, 2, 4, 3, 0, 1, 4, 3], np.int32)
    state = np.array([0, 0, 0, 0, 0, 0, 1, 0, 0, 0], np.int32)
    sizes = count_cells([age, state], [5, 2]).frequencies
    risk = cluster_risk(sizes)
    assert risk.minimal == pytest.approx(0.2)
    assert risk.maximal == pytest.approx(0.5)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=40), st.lists(st.floats(0.01, 1), min_size=1, max_size=5))
def test_the_weighted_risk_lies_between_the_others(keys, weights):
    sizes = count_cells([np.array(keys, np.int32)], [7]).frequencies
    risk = cluster_risk(sizes, sorted(weights, reverse=True))
    assert risk.minimal - 1e-12 <= risk.weighted <= risk.maximal + 1e-12
    assert cluster_risk(sizes, [1.0] * 40).weighted == pytest.approx(risk.maximal)


@pytest.mark.parametrize("weights", [[], [0.0], [1.0, 2.0], [1.0, -1.0]])
def test_weights_that_increase_or_vanish_are_refused(weights):
    with pytest.raises(ValueError, match="not increase"):
        cluster_risk(np.array([1]), weights)
