from __future__ import annotations

import numpy as np
import pytest

import ammg
from ammg.data.scenario import Scenario

FIVE = ["urbrur", "roof", "walls", "water", "sex"]


@pytest.mark.parametrize("least", [2, 3])
def test_testdata_has_the_diversity_of_sdcmicro(identity, testdata, golden, least):
    expected = np.array(golden("ldiversity", "td5_electcon_relat")["relat_Entropy_Ldiversity"]["values"])
    pair = identity(testdata(), key=FIVE, confidential=["relat"])
    measured = ammg.EntropyLDiversity(least=least).measure(pair, Scenario())
    assert measured.value == pytest.approx(np.mean(expected < least * (1 - 1e-9)))
    assert measured.tables["attributes"].lookup("attribute", "worst")["relat"] == pytest.approx(expected.min())


def test_a_class_of_one_value_fails(identity):
    table = {"k": ["a"] * 3 + ["b"] * 3, "x": ["u", "u", "u", "u", "v", "w"]}
    measured = ammg.EntropyLDiversity().measure(identity(table, key=["k"], confidential=["x"]), Scenario())
    assert measured.value == 0.5
    assert measured.people.examples["failing"] == ("x among k a: 1",)
