"""Bounds, whole numbers and structural zeros, which every noise method offers."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError

RNG = np.random.default_rng(0)
WAGES = np.where(RNG.random(4000) < 0.3, 0.0, RNG.lognormal(3, 1, 4000)).round()
DATA = pl.DataFrame({"wages": WAGES, "count": WAGES.astype(int), "other": RNG.normal(size=4000)})
METHODS = [ammg.AdditiveNoise, ammg.CorrelatedNoise, ammg.MixtureNoise, ammg.MultiplicativeNoise]


def run(method: ammg.AdditiveNoise, data: pl.DataFrame = DATA) -> pl.DataFrame:
    return ammg.Pipeline([method]).run(data, secret=1).table


@pytest.mark.parametrize("beyond", ["reflect", "truncate", "redraw"])
@pytest.mark.parametrize("method", METHODS)
def test_no_value_leaves_its_bounds(method, beyond) -> None:
    masked = run(method(columns=["wages", "other"], bounds={"wages": (0, 200), "other": (None, 1.5)}, beyond=beyond))
    assert masked["wages"].min() >= 0
    assert masked["wages"].max() <= 200
    assert masked["other"].max() <= 1.5
    assert masked["other"].min() < -1.5


def test_only_truncation_piles_up_at_the_bound() -> None:
    def at_zero(beyond: str) -> int:
        masked = run(ammg.AdditiveNoise(columns=["wages"], bounds={"wages": (0, None)}, beyond=beyond))
        return int((masked["wages"] == 0).sum())

    assert at_zero("truncate") > 500
    assert at_zero("reflect") == at_zero("redraw") == 0


def test_values_inside_the_bounds_are_the_same_as_without() -> None:
    free = run(ammg.CorrelatedNoise(columns=["wages", "other"]))
    bound = run(ammg.CorrelatedNoise(columns=["wages", "other"], bounds={"wages": (0, None)}))
    inside = (free["wages"] >= 0).to_numpy()
    assert (free["wages"].to_numpy()[inside] == bound["wages"].to_numpy()[inside]).all()
    assert free["other"].equals(bound["other"])


def test_whole_numbers_stay_whole_without_bias() -> None:
    masked = run(ammg.AdditiveNoise(columns=["count"], integers=True))
    plain = run(ammg.AdditiveNoise(columns=["count"]))
    assert masked["count"].dtype == pl.Int64
    change = masked["count"].to_numpy() - plain["count"].to_numpy()
    assert np.abs(change).max() < 1
    assert abs(change.mean()) < 4 * 0.5 / np.sqrt(4000)


@pytest.mark.parametrize("method", [ammg.AdditiveNoise, ammg.CorrelatedNoise, ammg.MixtureNoise])
def test_zeros_that_stay_leave_the_variance_of_the_noise_as_it_was(method) -> None:
    kept = run(method(columns=["wages"], zeros="keep"))["wages"].to_numpy()
    plain = run(method(columns=["wages"]))["wages"].to_numpy()
    assert (kept[WAGES == 0] == 0).all()
    assert (kept[WAGES > 0] != WAGES[WAGES > 0]).all()
    assert np.mean((kept - WAGES) ** 2) == pytest.approx(np.mean((plain - WAGES) ** 2), rel=0.1)


def test_bounds_that_leave_no_room_or_name_other_columns_are_refused() -> None:
    with pytest.raises(InputError, match=r"bounds of 'wages' leave no room: 5 is not below 5"):
        run(ammg.AdditiveNoise(columns=["wages"], bounds={"wages": (5, 5)}))
    with pytest.raises(InputError, match=r"A bound names 'wage', which .* Did you mean 'wages'\?"):
        run(ammg.AdditiveNoise(columns=["wages"], bounds={"wage": (0, None)}))


@pytest.mark.parametrize("option", [{"bounds": {"wages": (0, None)}}, {"integers": True}, {"zeros": "keep"}])
@pytest.mark.parametrize("method", [ammg.AdditiveNoise, ammg.CorrelatedNoise])
def test_exact_moments_and_an_option_that_breaks_them_are_refused(method, option) -> None:
    with pytest.raises(InputError, match="leave one of them out"):
        run(method(columns=["wages"], exact=True, **option))
