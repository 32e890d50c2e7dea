from __future__ import annotations

import csv
import json

import numpy as np
import pytest

from ammg.kernels.population.household_risk import household_risk


def test_household_risk_is_that_of_sdcmicro(shared):
    entries = json.loads((shared / "golden" / "measure_risk.json").read_text())["entries"]
    expected = next(entry["result"] for entry in entries if entry["id"] == "testdata7_w_hid")
    with (shared / "data" / "testdata.csv").open() as file:
        names, households = np.unique([row["ori_hid"] for row in csv.DictReader(file)], return_inverse=True)
    found = household_risk(np.array(expected["risk"]), households.astype(np.int32), names.size)
    assert np.allclose(found, expected["hier_risk_rec"], rtol=1e-10)
    assert found.sum() == pytest.approx(expected["hier_risk_ER"])


def test_one_certain_member_gives_the_household_away():
    found = household_risk(np.array([1.0, 0.1, 0.2, 0.5]), np.array([0, 0, 1, 1], np.int32), 2)
    assert found.tolist() == pytest.approx([1, 1, 0.6, 0.6])


def test_a_record_without_household_stands_alone():
    found = household_risk(np.array([0.1, 0.2, 0.5]), np.array([-1, 0, -1], np.int32), 1)
    assert found.tolist() == pytest.approx([0.1, 0.2, 0.5])
