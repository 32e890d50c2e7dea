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


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("cv", [0.1, 0.4])
def test_the_law_that_is_told_is_that_of_the_logarithms_of_the_factors(law, cv) -> None:
    run = ammg.Pipeline([ammg.MultiplicativeNoise(law=law, cv=cv)]).run(DATA, secret=1)
    told, changed = run.published[0], VALUES != 0
    logs = np.log(run.table["x"].to_numpy()[changed] / VALUES[changed])
    assert told.logarithmic and told.keeps == "signs"
    assert told.covariance[0, 0] == pytest.approx(logs.var(), rel=0.03)
    assert told.mean == pytest.approx(logs.mean(), abs=4 * logs.std() / np.sqrt(len(logs)))
    if law != "two_sided":
        assert told.mixture is None
        return
    shares, means, variance = told.mixture
    sides = [logs[logs < 0], logs[logs > 0]]
    spread = np.sqrt(told.covariance[0, 0])
    assert shares == (0.5, 0.5)
    np.testing.assert_allclose(told.mean + spread * np.array(means), [side.mean() for side in sides], rtol=0.02)
    assert variance * spread**2 == pytest.approx(np.mean([side.var() for side in sides]), rel=0.03)


def test_whole_numbers_may_become_zero_and_the_law_says_so() -> None:
    data = pl.DataFrame({"x": np.arange(1, 500) % 3 + 1})
    run = ammg.Pipeline([ammg.MultiplicativeNoise(cv=0.4, integers=True)]).run(data, secret=1)
    assert (run.table["x"] == 0).any()
    assert run.published[0].keeps == "nothing"


def test_columns_without_noise_have_none_in_the_law() -> None:
    told = ammg.Pipeline([ammg.MultiplicativeNoise()]).run(DATA.with_columns(one=pl.lit(1.0)), secret=1).published[0]
    np.testing.assert_allclose(told.covariance, np.diag([np.log1p(0.01), 0.0]))
