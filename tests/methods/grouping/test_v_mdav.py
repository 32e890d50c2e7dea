import numpy as np
import polars as pl

import ammg


def sizes(data: pl.DataFrame, **options: object) -> list[int]:
    after = ammg.Pipeline([ammg.VMdav(columns=data.columns, **options)]).run(data, 1).table
    assert np.allclose(after.mean().to_numpy(), data.mean().to_numpy(), rtol=1e-12)
    return sorted(after.group_by(data.columns).len()["len"].to_list())


def test_groups_grow_to_fit_clusters_and_stay_within_2k_minus_1() -> None:
    rng = np.random.default_rng(1)
    centres = np.repeat([[0, 0], [100, 0], [0, 100], [100, 100]], [4, 5, 3, 4], axis=0)
    data = pl.DataFrame(centres + rng.normal(size=centres.shape), schema=["a", "b"])
    assert sizes(data, k=3, gamma=1.1) == [3, 4, 4, 5]


def test_without_growth_only_what_is_left_over_makes_larger_groups() -> None:
    data = pl.DataFrame(np.random.default_rng(2).normal(size=(62, 3)), schema=["a", "b", "c"])
    found = sizes(data, k=5, gamma=0)
    assert found[0] == 5
    assert found[-1] <= 9
    assert len(found) == 12


def test_groups_have_k_to_2k_minus_1_records_on_census(census_data: ammg.Microdata) -> None:
    for gamma in (0.2, 1.1, 10):
        after = ammg.Pipeline([ammg.VMdav(k=4, gamma=gamma)]).run(census_data, 1).table
        counts = after.group_by(after.columns).len()["len"]
        assert counts.min() >= 4
        assert counts.max() <= 7


def test_records_with_missing_values_are_grouped_by_what_they_have() -> None:
    clusters = np.repeat([[0.0, 0, 0], [100, 100, 100]], 4, axis=0) + np.arange(8)[:, None] / 10
    clusters[1, 0] = clusters[6, 2] = np.nan
    data = pl.DataFrame(clusters, schema=["a", "b", "c"], nan_to_null=True)
    after = ammg.Pipeline([ammg.VMdav(columns=data.columns, k=3, gamma=1.1)]).run(data, 1).table
    assert after["b"].n_unique() == 2
    assert after["a"].is_null().to_list() == data["a"].is_null().to_list()
