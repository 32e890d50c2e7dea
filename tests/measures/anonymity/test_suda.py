from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.scenario import Scenario
from ammg.errors import InputError

GUIDE = ["Residence", "Gender", "Education", "Labor"]


def test_the_worked_example_of_the_ihsn_guide(identity, target_rows):
    rows = target_rows("suda_worked_example.csv")
    pair = identity({name: [row[name] for row in rows] for name in GUIDE}, key=GUIDE)
    measured = ammg.Suda(dimension=3, exponent=1.075).measure(pair, Scenario(inclusion=0.01))
    assert measured.people.by_record == pytest.approx([float(row["DIS_SUDA_guide"]) for row in rows], abs=5e-5)
    assert measured.facts["highest_score"] == 12
    assert measured.facts["uniques"] == 4


@pytest.mark.parametrize(("entry", "rows", "holes"), [("testdata_7", None, False), ("testdata500_7_NA", 500, True)])
def test_testdata_has_the_risk_and_contributions_of_sdcmicro(identity, testdata, golden, seven, entry, rows, holes):
    expected = golden("suda2", entry)
    pair = identity(testdata(holes, rows), key=seven)
    measured = ammg.Suda().measure(pair, Scenario(inclusion=0.01))
    assert np.allclose(measured.people.by_record, expected["disScore"], atol=1e-6)
    assert measured.facts["highest_score"] == expected["max_score"]
    for item in expected["attribute_contributions"]:
        assert 100 * measured.by_column[item["variable"]] == pytest.approx(item["contribution"])


def test_the_special_subsets_are_told(patients):
    measured = ammg.Suda().measure(ammg.data.pair.Pair.identity(patients), Scenario())
    assert measured.tables["subsets"].lookup("attributes", "minimal_uniques") == {"Age": 2, "State": 1}


def test_a_category_is_named_in_the_table_only_where_three_records_have_it(identity):
    pair = identity({"sex": [*"fffm"], "job": [*"abcd"]}, key=["sex", "job"])
    measured = ammg.Suda().measure(pair, Scenario())
    assert set(measured.tables["categories"]["category"]) <= {"f"}
    assert "sex m: 1" in measured.people.examples["categories"]


def test_too_many_subsets_are_refused(identity):
    names = [f"k{i}" for i in range(30)]
    with pytest.raises(InputError, match="Use fewer keys or smaller subsets"):
        ammg.Suda().measure(identity(pl.DataFrame({name: [1, 2] for name in names}), key=names), Scenario())
