from __future__ import annotations

import numpy as np
import pytest

import ammg
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined


def test_testdata_has_the_household_risk_of_sdcmicro(identity, testdata, golden, seven):
    expected = golden("measure_risk", "testdata7_w_hid")
    pair = identity(testdata(), key=seven, weight=["sampling_weight"], household=["ori_hid"])
    measured = ammg.HouseholdRisk(model="approximate").measure(pair, Scenario())
    assert np.allclose(measured.people.by_record, expected["hier_risk_rec"])
    assert measured.facts["expected_reidentifications"] == pytest.approx(expected["hier_risk_ER"])


def test_one_member_gives_the_household_away(identity):
    table = {"a": ["x", "y", "y", "y"], "h": [1, 1, 2, 2]}
    measured = ammg.HouseholdRisk().measure(identity(table, key=["a"], household=["h"]), Scenario())
    assert measured.people.by_record.tolist() == pytest.approx([1, 1, 5 / 9, 5 / 9])
    assert measured.facts["households"] == 2
    assert measured.facts["unsafe_households"] == 2


def test_without_households_it_is_not_defined(identity):
    with pytest.raises(NotDefined, match="household"):
        ammg.HouseholdRisk().measure(identity({"a": [1]}, key=["a"]), Scenario())
