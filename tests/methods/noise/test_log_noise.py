import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError


def test_values_stay_positive_and_errors_are_proportional() -> None:
    values = np.random.default_rng(0).lognormal(5, 2, 20_000)
    masked = ammg.Pipeline([ammg.LogNoise(d=0.1)]).run(pl.DataFrame({"x": values}), secret=1).table["x"].to_numpy()
    assert masked.min() > 0
    error = np.log(masked / values)
    assert error.std() == pytest.approx(np.sqrt(0.1) * 2, rel=0.03)
    assert abs(np.corrcoef(error, np.log(values))[0, 1]) < 0.03


def test_rescaling_keeps_the_covariances_of_logarithms() -> None:
    rng = np.random.default_rng(1)
    logs = rng.normal(size=(20_000, 2)) @ np.array([[1.0, 0.7], [0.0, 0.7]])
    data = pl.DataFrame(np.exp(logs), schema=["a", "b"])
    masked = ammg.Pipeline([ammg.LogNoise(d=0.5, rescaled=True)]).run(data, secret=1).table.to_numpy()
    np.testing.assert_allclose(np.cov(np.log(masked).T), np.cov(logs.T), atol=0.04)
    exact = ammg.Pipeline([ammg.LogNoise(d=0.5, rescaled=True, exact=True)]).run(data, secret=1).table.to_numpy()
    np.testing.assert_allclose(np.cov(np.log(exact).T), np.cov(logs.T), atol=1e-9)


def test_zeros_stay_where_they_may_and_are_refused_where_not() -> None:
    data = pl.DataFrame({"x": [0.0, 1.0, 2.0, 30.0, None], "y": [1.0, 5.0, 2.0, 3.0, 4.0]})
    masked = ammg.Pipeline([ammg.LogNoise(zeros="keep")]).run(data, secret=1).table
    assert masked["x"][0] == 0
    assert masked["x"].null_count() == 1
    with pytest.raises(InputError, match="'x' has the value 0, which has no logarithm: set zeros: keep"):
        ammg.Pipeline([ammg.LogNoise()]).run(data)
    with pytest.raises(InputError, match="'x' has the value -1, which has no logarithm: use correlated_noise"):
        ammg.Pipeline([ammg.LogNoise(zeros="keep")]).run(pl.DataFrame({"x": [-1.0, 2.0]}))


def test_the_law_on_logarithms_finds_more_than_distances_of_values(census_data: ammg.Microdata) -> None:
    pair = ammg.Pipeline([ammg.LogNoise(d=0.1)]).run(census_data, 1).pair
    found = ammg.evaluate(pair, ["noise_law_linkage", "distance_linkage"], before=False)
    assert found["noise_law_linkage"].value > 0.87
    assert found["distance_linkage"].value < 0.6
    assert found["noise_law_linkage"].facts["mean_probability_of_truth"] > 0.7


def test_zeros_of_a_record_betray_it_under_noise_on_logarithms() -> None:
    rng = np.random.default_rng(6)
    table = pl.DataFrame({f"x{j}": np.where(rng.random(64) < 0.5, 0.0, rng.lognormal(size=64)) for j in range(8)})
    pair = ammg.Pipeline([ammg.LogNoise(d=1.0, zeros="keep")]).run(ammg.Microdata(table), 1).pair
    assert ammg.evaluate(pair, ["noise_law_linkage"], before=False)["noise_law_linkage"].value > 0.8
