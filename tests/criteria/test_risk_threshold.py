from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.criteria.risk_threshold import risk_curve

files = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30).map(np.array)


@settings(max_examples=100, deadline=None)
@given(files, st.floats(0, 1))
def test_the_rate_is_that_of_risks_cut_at_the_threshold(risks, threshold):
    curve = risk_curve(risks)
    assert curve.rate_below(threshold) == pytest.approx(np.minimum(risks, threshold).mean())
    assert curve.unsafe(threshold) == np.count_nonzero(risks > threshold)
    assert curve.expected == pytest.approx(risks.sum())


@settings(max_examples=100, deadline=None)
@given(files, st.floats(1e-6, 1))
def test_from_rate_to_threshold_and_back(risks, rate):
    curve = risk_curve(risks)
    threshold = curve.threshold_for_rate(rate)
    if curve.rate <= rate:
        assert threshold == 1
    else:
        assert curve.rate_below(threshold) == pytest.approx(rate)


def test_a_rate_one_rounding_below_that_of_the_file_is_reached():
    curve = risk_curve(np.full(3, 0.9064649566441373))
    assert curve.threshold_for_rate(np.nextafter(curve.rate, 0)) == pytest.approx(curve.rate)


@pytest.mark.parametrize(
    ("entry", "limit"), [("testdata7_now", 0.01), ("testdata7_w_thr0.0001", 0.0001), ("francdat", 0.01)]
)
def test_the_threshold_of_sdcmicro_is_the_observed_risk_below_ours(golden, entry, limit):
    expected = golden("measure_risk")[entry]
    curve = risk_curve(np.array(expected["risk"]))
    threshold = curve.threshold_for_rate(limit)
    below = curve.risks[curve.risks <= threshold * (1 + 1e-12)]
    assert max(below, default=0) == pytest.approx(expected["global_threshold"])
