from __future__ import annotations

import numpy as np
import pytest

import ammg
from ammg.data.scenario import Scenario

ANYBODY = Scenario()


@pytest.mark.parametrize(("entry", "holes"), [("testdata7_w", False), ("testdata7_NA_w_hid", True)])
def test_testdata_has_the_risk_of_sdcmicro(identity, testdata, golden, seven, entry, holes):
    expected = golden("measure_risk", entry)
    pair = identity(testdata(holes), key=seven, weight=["sampling_weight"])
    measured = ammg.IndividualRisk(model="approximate").measure(pair, ANYBODY)
    assert np.allclose(measured.people.by_record, expected["risk"])
    assert measured.value == pytest.approx(expected["global_risk"])
    assert measured.facts["expected_reidentifications"] == pytest.approx(expected["global_risk_ER"])


def test_the_threshold_for_a_rate_is_that_of_sdcmicro(identity, testdata, golden, seven):
    expected = golden("measure_risk", "testdata7_w_thr0.0001")
    pair = identity(testdata(), key=seven, weight=["sampling_weight"])
    measured = ammg.IndividualRisk(model="approximate", limit=0.0001).measure(pair, ANYBODY)
    threshold = measured.facts["threshold_for_limit"]
    assert measured.people.by_record[measured.people.by_record <= threshold].max() == pytest.approx(
        expected["global_threshold"]
    )
    assert measured.facts["unsafe_for_limit"] == np.sum(measured.people.by_record > threshold)


def test_the_three_laws_agree_on_uniques_of_large_populations(identity):
    pair = identity({"a": [1, 2, 3], "w": [50.0, 100.0, 1000.0]}, key=["a"], weight=["w"])
    exact = ammg.IndividualRisk().measure(pair, ANYBODY).people.by_record
    assert ammg.IndividualRisk(model="approximate").measure(pair, ANYBODY).people.by_record == pytest.approx(exact)
    poisson = ammg.IndividualRisk(model="poisson").measure(pair, ANYBODY).people.by_record
    assert np.all(poisson < exact)


def test_an_inclusion_probability_stands_for_weights(identity):
    plain = identity({"a": [1, 2, 2]}, key=["a"])
    weighted = identity({"a": [1, 2, 2], "w": [20.0] * 3}, key=["a"], weight=["w"])
    assert ammg.IndividualRisk().measure(plain, Scenario(inclusion=0.05)).value == pytest.approx(
        ammg.IndividualRisk().measure(weighted, ANYBODY).value
    )


def test_without_either_the_file_is_the_population(patients):
    measured = ammg.IndividualRisk().measure(ammg.data.pair.Pair.identity(patients), ANYBODY)
    assert measured.value == pytest.approx(0.5)
