from __future__ import annotations

import pytest

from ammg.reproduce import shlomo


@pytest.fixture(scope="module")
def population():
    return shlomo._population(100_000)


def test_recoding_lowers_risk_more_than_pram_and_loses_more(population):
    rows = shlomo.results_a(population, 4_000, 1).ours
    for row in ("true τ2", "sample uniques"):
        assert rows[row]["recoded"] < rows[row]["PRAM"] <= rows[row]["original"] + 50
    assert rows["AAD of localities"]["PRAM"] < rows["AAD of localities"]["recoded"]


def test_masked_incomes_are_in_the_order_of_the_slides(population):
    rows = shlomo.results_b(population, 4_000, 1).ours
    variance, switched = rows["variance, % change"], rows["switched group, %"]
    assert abs(variance["correlated"]) < abs(variance["uncorrelated"])
    assert switched["semi-controlled"] < 1 and switched["rounded"] < 1
    assert switched["grouped"] < switched["grouped + noise"] < switched["uncorrelated"]
    assert variance["grouped"] <= 0
