from __future__ import annotations

import numpy as np
import pytest

import ammg
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

ANYBODY = Scenario()


def test_testdata_has_the_diversity_of_sdcmicro(identity, testdata, golden, seven):
    expected = np.array(golden("ldiversity", "td7_hhcivil")["hhcivil_Distinct_Ldiversity"]["values"])
    pair = identity(testdata(), key=seven, confidential=["hhcivil"])
    for least in (2, 3):
        measured = ammg.DistinctLDiversity(least=least).measure(pair, ANYBODY)
        assert measured.value == pytest.approx(np.mean(expected < least))
    assert measured.tables["attributes"].lookup("attribute", "worst")["hhcivil"] == expected.min()


def test_every_confidential_attribute_counts(identity):
    table = {"k": ["a"] * 2 + ["b"] * 2, "x": [1, 2, 3, 4], "y": [1, 1, 1, 2]}
    measured = ammg.DistinctLDiversity(least=2).measure(identity(table, key=["k"], confidential=["x", "y"]), ANYBODY)
    assert measured.by_column == {"x": 0, "y": 0.5}
    assert measured.value == 0.5
    assert measured.people.by_record.tolist() == [1, 1, 0.5, 0.5]


def test_attributes_that_tell_each_other_fail_jointly(identity):
    table = {"k": ["a"] * 4, "x": [1, 1, 2, 2], "y": [5, 5, 6, 6]}
    pair = identity(table, key=["k"], confidential=["x", "y"])
    assert ammg.DistinctLDiversity().measure(pair, ANYBODY).value == 0
    assert ammg.DistinctLDiversity(joint=True).measure(pair, ANYBODY).value == 1


def test_a_class_whose_values_are_suppressed_reveals_nothing(identity):
    table = {"k": ["a", "a", "b", "b"], "x": [None, None, "u", "v"]}
    measured = ammg.DistinctLDiversity().measure(identity(table, key=["k"], confidential=["x"]), ANYBODY)
    assert measured.value == 0


def test_without_a_confidential_attribute_it_is_not_defined(identity):
    with pytest.raises(NotDefined, match="no confidential attribute"):
        ammg.DistinctLDiversity().measure(identity({"k": [1]}, key=["k"]), ANYBODY)
