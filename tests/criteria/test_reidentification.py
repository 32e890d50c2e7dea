from __future__ import annotations

import json

import numpy as np
import pytest

from ammg.criteria.reidentification import journalist_risk, marketer_risk, prosecutor_risk
from ammg.kernels.anonymity.cells import count_cells


def test_adult_has_the_risks_of_arx(shared, adult):
    names = ["age", "education", "marital-status", "native-country", "race", "salary-class", "sex", "workclass"]
    cells = count_cells([adult[name][0] for name in names], [adult[name][1] for name in names])
    entries = json.loads((shared / "golden" / "arx_adult.json").read_text())["entries"]
    expected = next(entry for entry in entries if entry["mode"] == "risk")["estimates"][0]
    risk = prosecutor_risk(cells.frequencies, threshold=0.2)
    assert len(cells) == expected["num_classes"]
    assert risk.success == pytest.approx(expected["avg_risk"], rel=1e-12)
    assert risk.highest == expected["highest_risk"]
    assert risk.lowest == pytest.approx(expected["lowest_risk"], rel=1e-12)
    assert risk.at_risk == pytest.approx(expected["records_at_risk_0.2"], rel=1e-12)
    assert marketer_risk(cells.frequencies) == pytest.approx(expected["marketer"], rel=1e-12)


def test_the_journalist_takes_the_better_of_two_roads():
    """Two classes of 2 and 1 records, with 4 and 10 people in the population."""
    sample, population = np.array([2, 2, 1]), np.array([4, 4, 10])
    risk = journalist_risk(sample, population, threshold=0.2)
    through_file, through_register = (2 / 4 + 1 / 10) / 3, 2 / 14
    assert risk.success == pytest.approx(max(through_file, through_register))
    assert risk.highest == pytest.approx(1 / 4)
    assert risk.at_risk == pytest.approx(2 / 3)
    assert marketer_risk(sample, population) == pytest.approx(through_file)


def test_a_population_smaller_than_the_file_is_refused():
    with pytest.raises(ValueError, match="must contain the file"):
        journalist_risk(np.array([3]), np.array([2.5]))


def test_an_empty_file_has_no_risk():
    nobody = np.empty(0, np.int64)
    assert prosecutor_risk(nobody).success == 0
    assert marketer_risk(nobody) == 0
