import numpy as np
import polars as pl
import pytest
from columns_beside import loss_by

import ammg


def test_two_attributes_have_the_eigenvalues_one_plus_and_minus_their_correlation() -> None:
    x, y, z = np.array([1.0, 2, 3, 5]), np.array([2.0, 1, 4, 4]), np.array([5.0, 1, 2, 4])
    before, after = abs(np.corrcoef(x, y)[0, 1]), abs(np.corrcoef(x, z)[0, 1])
    expected = abs(before - after) / (1 + before) + abs(before - after) / (1 - before)
    assert loss_by(ammg.EigenvalueDistance(), [x, y], [x, z]).value == pytest.approx(expected)


@pytest.mark.parametrize("k", [3, 10])
def test_sdcmicro_finds_the_same(testdata, golden, k: int) -> None:
    table = testdata().select("expend", "income", "savings").cast(pl.Float64)
    data = ammg.Microdata(table).with_roles(confidential=table.columns)
    masked = ammg.Pipeline([ammg.Mdav(columns=table.columns, k=k)]).run(data, 1)
    found = ammg.evaluate(masked, ["eigenvalue_distance"]).value("eigenvalue_distance")
    assert found == pytest.approx(golden("dUtility", f"TDN_mdav{k}_eigen"), rel=1e-9)


def test_attributes_that_add_up_have_an_eigenvalue_that_is_left_out(census_data: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.Mdav(columns=census_data.columns, k=3)]).run(census_data, 1)
    found = ammg.evaluate(masked, ["eigenvalue_distance"])["eigenvalue_distance"]
    assert found.facts["skipped"] == 1
    assert 0 < found.value < 13


def test_constants_have_no_eigenvalues() -> None:
    assert loss_by(ammg.EigenvalueDistance(), [[2] * 3], [[3] * 3]).reason == "no numeric attribute varies"
