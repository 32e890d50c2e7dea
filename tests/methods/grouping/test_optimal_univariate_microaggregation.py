import numpy as np
import polars as pl
import pytest

import ammg


def aggregated(data: object, optimal: bool = True, **options: object) -> pl.DataFrame:
    method = ammg.OptimalUnivariateMicroaggregation if optimal else ammg.UnivariateMicroaggregation
    return ammg.Pipeline([method(**options)]).run(data).table


def test_optimal_groups_of_the_patients_are_those_worked_out_by_hand(patients: ammg.Microdata) -> None:
    assert sorted(aggregated(patients, columns=["Age"], k=2)["Age"]) == [30, 30, 44, 44, 44, 45, 45, 55, 55, 55]


@pytest.mark.parametrize("k", [2, 3, 5, 10])
def test_optimal_groups_never_lose_more_than_groups_of_fixed_size(census_data: ammg.Microdata, k: int) -> None:
    names = ["AGI", "FEDTAX"]
    original = census_data.table.select(names).to_numpy()
    optimal, fixed = (
        aggregated(census_data, best, columns=names, k=k).select(names).to_numpy() for best in (True, False)
    )
    assert np.all(((original - optimal) ** 2).sum(axis=0) < ((original - fixed) ** 2).sum(axis=0))
    np.testing.assert_allclose(optimal.sum(axis=0), original.sum(axis=0), rtol=1e-12)


def test_groups_have_k_to_2k_minus_1_records_unless_values_are_equal() -> None:
    values = np.random.default_rng(1).normal(size=101)
    sizes = aggregated(pl.DataFrame({"x": values}), columns=["x"], k=4)["x"].value_counts()["count"]
    assert sizes.min() >= 4
    assert sizes.max() <= 7
