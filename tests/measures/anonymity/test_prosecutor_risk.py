from __future__ import annotations

import json

import polars as pl
import pytest

import ammg
from ammg.data.scenario import Scenario

KEYS = ["age", "education", "marital-status", "native-country", "race", "salary-class", "sex", "workclass"]


def test_adult_has_the_risk_of_arx(identity, shared):
    table = pl.read_csv(shared / "data" / "adult.csv", separator=";")
    entries = json.loads((shared / "golden" / "arx_adult.json").read_text())["entries"]
    expected = next(entry for entry in entries if entry["mode"] == "risk")["estimates"][0]
    measured = ammg.ProsecutorRisk(threshold=0.2).measure(identity(table, key=KEYS), Scenario())
    assert measured.value == pytest.approx(expected["avg_risk"])
    assert measured.facts["highest"] == expected["highest_risk"]
    assert measured.facts["lowest"] == pytest.approx(expected["lowest_risk"])
    assert measured.facts["at_risk"] == pytest.approx(expected["records_at_risk_0.2"])
