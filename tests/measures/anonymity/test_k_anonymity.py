from __future__ import annotations

import numpy as np
import pytest

import ammg
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined

ANYBODY = Scenario()


def test_the_patients_have_two_unique_records(patients):
    measured = ammg.KAnonymity(k=2).measure(ammg.data.pair.Pair.identity(patients), ANYBODY)
    assert measured.value == pytest.approx(0.2)
    assert measured.people.examples["riskiest"] == (
        "record 6: Age 25, State IN (risk 1)",
        "record 7: Age 35, State MI (risk 1)",
    )


@pytest.mark.parametrize(("entry", "holes"), [("testdata7", False), ("testdata7_NA_alpha1", True)])
def test_frequencies_are_those_of_sdcmicro(identity, testdata, golden, seven, entry, holes):
    expected = golden("freqCalc", entry)
    pair = identity(testdata(holes), key=seven, weight=["sampling_weight"])
    measured = ammg.KAnonymity(k=3).measure(pair, ANYBODY)
    assert np.allclose(1 / measured.people.by_record, expected["fk"])
    assert measured.tables["below_k"].lookup("k", "records")[2] == expected["n1"]
    assert measured.tables["below_k"].lookup("k", "records")[5] == expected["n_fk_lt5"]
    assert measured.tables["below_k"].lookup("k", "in_population")[3] == 0


def test_a_missing_value_can_be_a_category(identity):
    pair = identity({"a": ["x", "x", None]}, key=["a"])
    assert ammg.KAnonymity(k=2).measure(pair, ANYBODY).value == 0
    assert ammg.KAnonymity(k=2, missing="category").measure(pair, ANYBODY).value == pytest.approx(1 / 3)


def test_what_the_intruder_knows_decides(identity):
    pair = identity({"a": ["x", "y"], "b": [1, 1]}, key=["a", "b"])
    assert ammg.KAnonymity(k=2).measure(pair, Scenario(known=("b",))).value == 0
    assert ammg.KAnonymity(k=2).measure(pair, ANYBODY).value == 1


def test_a_key_with_one_value_protects(identity):
    assert ammg.KAnonymity(k=3).measure(identity({"a": ["x"] * 4}, key=["a"]), ANYBODY).value == 0


def test_an_empty_file_is_not_defined(identity):
    with pytest.raises(NotDefined, match="no records"):
        ammg.KAnonymity().measure(identity({"a": np.array([], dtype=np.int64)}, key=["a"]), ANYBODY)


def test_weights_below_one_are_refused(identity):
    pair = identity({"a": [1, 2], "w": [3.0, 0.5]}, key=["a"], weight=["w"])
    with pytest.raises(InputError, match=r"Weight 'w' of record 1 is 0\.5"):
        ammg.KAnonymity().measure(pair, ANYBODY)


def test_records_that_only_missing_values_hide_are_counted(identity):
    """Three records without any key look like everybody, and 17 people are as rare as before."""
    pair = identity({"a": [None] * 3 + list(range(17))}, key=["a"])
    measured = ammg.KAnonymity(k=3).measure(pair, Scenario())
    assert (measured.value, measured.facts["only_by_missing"]) == (0, 17)
    strict = ammg.KAnonymity(k=3, missing="category").measure(pair, Scenario())
    assert (strict.value, strict.facts["only_by_missing"]) == (17 / 20, 0)
