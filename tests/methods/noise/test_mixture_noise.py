import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.published import NoiseLaw
from ammg.draws import Secret
from ammg.kernels.loss.information_loss import information_loss

D = {"01": 0.01, "05": 0.05, "10": 0.10, "20": 0.20}
DECIMALS = 0.0005  # the paper prints three


@pytest.mark.parametrize("rescaled", [False, True])
@pytest.mark.parametrize("row", D)
def test_losses_on_census_are_those_of_table_1_of_yancey_winkler_and_creecy(census_data, shared, row, rescaled) -> None:
    path = shared / "spec" / "targets" / "yancey_table1_census_infoloss.csv"
    printed = pl.read_csv(path).row(by_predicate=pl.col("method") == f"{'scal' * rescaled}mixadd{row}", named=True)
    original = census_data.table.to_numpy().astype(float)
    pipeline = ammg.Pipeline([ammg.MixtureNoise(d=D[row], rescaled=rescaled, below_zero="allow")])
    losses = [
        information_loss(original, pipeline.run(census_data, secret).table.to_numpy())
        for secret in map(Secret.known, range(20))
    ]
    mean = dict(zip(losses[0]._fields, np.mean(losses, axis=0), strict=True))
    for name, tolerance in {"IL1": 0.005, "IL1s": 0.003, "IL2": 0.003, "IL4": 0.015, "IL5": 0.003}.items():
        assert mean[name.lower()] == pytest.approx(printed[name], abs=tolerance + DECIMALS), name


def test_nearly_every_value_is_moved_by_about_a_standard_deviation_of_the_noise() -> None:
    values = np.random.default_rng(0).normal(size=20_000)
    masked = ammg.Pipeline([ammg.MixtureNoise(d=0.25)]).run(pl.DataFrame({"x": values}), secret=1).table["x"].to_numpy()
    moved = np.abs(masked - values) / np.sqrt(0.25 * values.var())
    assert np.quantile(moved, 0.001) > 0.4
    assert moved.max() < 1.8


def test_the_mixture_is_told() -> None:
    method = ammg.MixtureNoise(components=3, weights=(0.2, 0.3, 0.5), means=(-1.0, 0.5), variance=0.1)
    law = ammg.Pipeline([method]).run(pl.DataFrame({"x": [1.0, 2.0, 5.0]}), secret=1).published[0]
    assert isinstance(law, NoiseLaw)
    weights, means, variance = (np.array(part) for part in law.mixture)
    assert weights @ means == pytest.approx(0)
    assert weights @ means**2 + variance == pytest.approx(1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": (0.5, 0.6)}, "sum to 1"),
        ({"components": 3, "weights": (0.5, 0.5)}, "3 components need as many weights"),
        ({"means": (0.0,)}, "no spread"),
        ({"variance": 1.0}, "less than 1"),
        ({"d": 0}, "greater than 0"),
    ],
)
def test_impossible_mixtures_are_refused_when_they_are_made(options, message) -> None:
    with pytest.raises(ValueError, match=message):
        ammg.MixtureNoise(**options)
