from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg

SHARED = Path(__file__).parents[3] / "shared"
PUBLISHED = SHARED / "spec" / "targets" / "prototype_mdav_exact.csv"


def reference(name: str) -> ammg.Microdata:
    """CENSUS (13 amounts) or EIA with the eleven attributes of the literature."""
    if name == "Census":
        table = pl.read_csv(SHARED / "data" / "CENSUS.csv")
    else:
        table = pl.read_csv(SHARED / "data" / "EIA.csv").drop("UTILNAME", "STATE", "YEAR", "MONTH")
    return ammg.Microdata(table).with_roles(confidential=table.columns)


def losses() -> list[tuple[str, int, float]]:
    if not PUBLISHED.exists():
        return []
    rows = [(name.split(" ")[0], k, loss) for name, k, loss in pl.read_csv(PUBLISHED).rows()]
    return [row for row in rows if row[0] in ("Census", "EIA11")]


def masked(data: ammg.Microdata, k: int) -> pl.DataFrame:
    return ammg.Pipeline([ammg.Mdav(k=k)]).run(data, 1).table


@pytest.mark.parametrize(("name", "k", "loss"), losses())
def test_the_information_loss_is_the_published_one(name: str, k: int, loss: float) -> None:
    data = reference(name)
    original, released = (t.to_numpy().astype(float) for t in (data.table, masked(data, k)))
    squares = ((original - released) ** 2).sum(axis=0) / original.var(axis=0)
    assert 100 * squares.sum() / original.size == pytest.approx(loss, abs=1e-5)


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
