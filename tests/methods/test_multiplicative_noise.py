import numpy as np
import polars as pl
import pytest

import ammg

VALUES = np.random.default_rng(0).normal(2, 5, 40_000).round(2)
DATA = pl.DataFrame({"x": VALUES})
LAWS = ["lognormal", "truncated_normal", "two_sided"]


@pytest.mark.parametrize("law", LAWS)
def test_factors_have_mean_one_and_the_spread_asked_for_and_keep_signs(law) -> None:
    masked = ammg.Pipeline([ammg.MultiplicativeNoise(law=law, cv=0.2)]).run(DATA, secret=1).table["x"].to_numpy()
    factors = masked[VALUES != 0] / VALUES[VALUES != 0]
    assert factors.min() > 0
    assert factors.mean() == pytest.approx(1, abs=4 * 0.2 / np.sqrt(len(factors)))
    assert factors.std() == pytest.approx(0.2, rel=0.03)
    assert (masked[VALUES == 0] == 0).all()


def test_two_sided_factors_leave_no_value_near_what_it_was() -> None:
    masked = ammg.Pipeline([ammg.MultiplicativeNoise(law="two_sided", cv=0.2)]).run(DATA, secret=1).table["x"]
    change = np.abs(masked.to_numpy()[VALUES != 0] / VALUES[VALUES != 0] - 1)
    assert change.min() >= np.sqrt(3) * 0.2 / 3 - 1e-12


@pytest.mark.parametrize("law", LAWS)
def test_the_greatest_spread_changes_no_sign_and_more_is_refused(law) -> None:
    masked = ammg.Pipeline([ammg.MultiplicativeNoise(law=law, cv=0.4)]).run(DATA, secret=1).table["x"].to_numpy()
    assert (np.sign(masked) == np.sign(VALUES)).all()
    with pytest.raises(ValueError, match=r"less than or equal to 0\.4"):
        ammg.MultiplicativeNoise(law=law, cv=0.41)


def test_the_noise_that_is_told_has_the_size_it_has() -> None:
    run = ammg.Pipeline([ammg.MultiplicativeNoise(cv=0.2)]).run(DATA, secret=1)
    change = np.mean((run.table["x"].to_numpy() - VALUES) ** 2)
    assert run.disclosed[0].covariance[0, 0] == pytest.approx(change, rel=0.05)
