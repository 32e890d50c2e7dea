import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.published import Groups


def masked(data: object, **options: object) -> ammg.Masked:
    return ammg.Pipeline([ammg.ProjectionMicroaggregation(**options)]).run(data, 1)


@pytest.mark.parametrize("projection", ["component", "sum"])
def test_groups_are_runs_of_the_projection_and_keep_means_and_identities(
    census_data: ammg.Microdata, projection: str
) -> None:
    run = masked(census_data, k=4, projection=projection)
    original, released = census_data.table.to_numpy().astype(float), run.table.to_numpy()
    scores = (original - original.mean(axis=0)) / original.std(axis=0)
    component = np.linalg.svd(scores, full_matrices=False)[2][0]
    line = scores @ component if projection == "component" else scores.sum(axis=1)
    _, group, counts = np.unique(released, axis=0, return_inverse=True, return_counts=True)
    assert counts.min() >= 4
    assert counts.max() <= 7
    assert np.count_nonzero(np.diff(group[np.argsort(line)])) == len(counts) - 1
    np.testing.assert_allclose(released.mean(axis=0), original.mean(axis=0), rtol=1e-12)
    assert np.abs(released[:, 4] - released[:, 7] - released[:, 9]).max() < 1e-9 * np.abs(released).max()


def test_one_column_is_masked_as_by_optimal_univariate_microaggregation(census_data: ammg.Microdata) -> None:
    name = census_data.table.columns[0]
    alone = ammg.Pipeline([ammg.OptimalUnivariateMicroaggregation(columns=[name], k=5)]).run(census_data, 1)
    expected = alone.table[name].to_numpy()
    np.testing.assert_allclose(masked(census_data, columns=[name], k=5).table[name].to_numpy(), expected, rtol=1e-12)


def test_missing_values_stay_and_observed_ones_share_their_means() -> None:
    data = pl.DataFrame({"a": [1.0, 2, None, 10, 11, 12], "b": [1.0, 2, 3, 10, 11, None]})
    after = masked(data, columns=["a", "b"], k=2).table
    assert after["a"].is_null().to_list() == [False, False, True, False, False, False]
    assert after["b"].is_null().to_list() == [False, False, False, False, False, True]
    assert after["a"].sum() == pytest.approx(36)
    assert after["b"].sum() == pytest.approx(27)


def test_one_grouping_of_all_columns_is_what_a_description_tells(census_data: ammg.Microdata) -> None:
    names = tuple(census_data.table.columns[:2])
    assert masked(census_data, columns=names, k=3).published == (Groups(names, 3, joint=True),)
