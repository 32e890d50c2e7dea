import numpy as np
import polars as pl
import pytest
from microaggregation_data import percent_lost, published_losses, reference_table

import ammg


def masked(data: ammg.Microdata, k: int) -> pl.DataFrame:
    return ammg.Pipeline([ammg.Mdav(k=k)]).run(data, 1).table


@pytest.mark.parametrize(("name", "k", "loss"), [row for row in published_losses() if row[0] in ("Census", "EIA11")])
def test_the_information_loss_is_the_published_one(name: str, k: int, loss: float) -> None:
    data = ammg.Microdata(reference_table(name))
    assert percent_lost(data.table, masked(data, k)) == pytest.approx(loss, abs=1e-5)


@pytest.fixture(scope="module", params=[3, 7])
def files(request: pytest.FixtureRequest, census_data: ammg.Microdata) -> tuple[np.ndarray, np.ndarray, int]:
    return census_data.table.to_numpy().astype(float), masked(census_data, request.param).to_numpy(), request.param


def test_released_records_occur_k_to_2k_minus_1_times(files: tuple[np.ndarray, np.ndarray, int]) -> None:
    _, released, k = files
    counts = np.unique(released, axis=0, return_counts=True)[1]
    assert counts.min() >= k
    assert counts.max() <= 2 * k - 1


def test_k_anonymity_as_measured(census_data: ammg.Microdata) -> None:
    names = census_data.table.columns
    data = ammg.Microdata(census_data.table).with_roles(key=names)
    run = ammg.Pipeline([ammg.Mdav(k=4)]).run(data, 1)
    assert run.table.group_by(names).len()["len"].min() >= 4
    assert ammg.KAnonymity(k=4).measure(run.pair, ammg.Scenario()).value == 0


def test_means_and_identities_are_kept_and_the_covariance_loses_what_is_within(
    files: tuple[np.ndarray, np.ndarray, int],
) -> None:
    original, released, _ = files
    scale = original.std(axis=0)
    np.testing.assert_allclose(released.mean(axis=0), original.mean(axis=0), rtol=1e-12)
    within = (original - released).T @ (original - released) / (len(original) - 1)
    lost = np.cov(original.T) - np.cov(released.T)
    np.testing.assert_allclose(lost / np.outer(scale, scale), within / np.outer(scale, scale), atol=1e-10)
    assert np.abs(released[:, 4] - released[:, 7] - released[:, 9]).max() < 1e-9 * np.abs(released).max()
