from __future__ import annotations

import json

import polars as pl
import pytest

import ammg
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

KEYS = ["age", "education", "marital-status", "native-country", "race", "salary-class", "sex", "workclass"]


@pytest.fixture(scope="module")
def adult(shared):
    return pl.read_csv(shared / "data" / "adult.csv", separator=";")


@pytest.mark.parametrize("position", range(5))
def test_adult_has_the_uniqueness_of_arx(identity, adult, shared, position):
    entries = json.loads((shared / "golden" / "arx_adult.json").read_text())["entries"]
    expected = next(entry for entry in entries if entry["mode"] == "risk")["estimates"][position]
    scenario = Scenario(inclusion=expected["sampling_fraction"])
    measured = ammg.PopulationUniqueness().measure(identity(adult, key=KEYS), scenario)
    assert measured.facts["model"] == expected["dankar_model"].lower()
    assert measured.value == pytest.approx(expected["DANKAR"]["fraction"], rel=5e-3)
    assert measured.facts["sample_uniques"] == expected["sample_uniques"]
    zayatz = ammg.PopulationUniqueness(model="zayatz").measure(identity(adult, key=KEYS), scenario)
    assert zayatz.value == pytest.approx(expected["ZAYATZ"]["fraction"])


def test_a_file_without_uniques_has_none(identity):
    measured = ammg.PopulationUniqueness().measure(identity({"a": [1, 1, 2, 2]}, key=["a"]), Scenario(inclusion=0.1))
    assert measured.value == 0


def test_a_model_without_solution_is_not_defined(identity):
    with pytest.raises(NotDefined, match="pitman has no solution"):
        ammg.PopulationUniqueness(model="pitman").measure(
            identity({"a": [1, 2, 2, 2, 3, 3, 3]}, key=["a"]), Scenario(inclusion=0.5)
        )
