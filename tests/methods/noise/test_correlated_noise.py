"""Correlated noise on CENSUS, whose covariance is singular: PTOTVAL = PEARNVAL + POTHVAL."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.draws import Secret
from ammg.errors import InputError


def noisy(data: object, secret: int = 1, **options: object) -> pl.DataFrame:
    return ammg.Pipeline([ammg.CorrelatedNoise(**options)]).run(data, secret).table


def holes(n: int = 300) -> pl.DataFrame:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(n, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.3], [0, 0, 1]])
    values[:60, 1] = np.nan
    values[60:65, 0] = np.nan
    return pl.DataFrame({name: pl.Series(values[:, j], nan_to_null=True) for j, name in enumerate("abc")})


def gap(found: np.ndarray, expected: np.ndarray) -> float:
    """Greatest difference of two covariance matrices, in products of standard deviations."""
    spread = np.sqrt(np.diag(expected))
    return float(np.abs((found - expected) / np.outer(spread, spread)).max())


@pytest.mark.parametrize("d", [0.01, 0.1, 1.0])
def test_exact_noise_multiplies_covariances_and_keeps_means(census_data: ammg.Microdata, d: float) -> None:
    original = census_data.table.to_numpy().astype(float)
    masked = noisy(census_data, d=d, exact=True).to_numpy()
    covariance = np.cov(original, rowvar=False)
    assert gap(np.cov(masked, rowvar=False), (1 + d) * covariance) < 1e-8
    np.testing.assert_allclose(masked.mean(axis=0), original.mean(axis=0), rtol=1e-9)


@pytest.mark.parametrize("options", [{}, {"exact": True}, {"rescaled": True}, {"root": "sym"}, {"root": "chol"}])
def test_exact_sums_of_columns_stay_exact(census_data: ammg.Microdata, options: dict[str, object]) -> None:
    masked = noisy(census_data, **options)
    error = (masked["PTOTVAL"] - masked["PEARNVAL"] - masked["POTHVAL"]).abs().max()
    assert error <= 1e-9 * census_data.table["PTOTVAL"].max()


def test_exact_and_rescaled_noise_has_the_covariances_of_the_data(census_data: ammg.Microdata) -> None:
    masked = noisy(census_data, d=0.2, exact=True, rescaled=True).to_numpy()
    assert gap(np.cov(masked, rowvar=False), np.cov(census_data.table.to_numpy(), rowvar=False)) < 1e-8


def test_rescaling_towards_the_masked_mean_keeps_it_and_divides_covariances(census_data: ammg.Microdata) -> None:
    plain, rescaled = (noisy(census_data, d=0.3, rescaled=way, below_zero="allow").to_numpy() for way in (False, True))
    np.testing.assert_allclose(rescaled.mean(axis=0), plain.mean(axis=0), rtol=1e-10)
    assert gap(np.cov(rescaled, rowvar=False), np.cov(plain, rowvar=False) / 1.3) < 1e-10


def test_rescaling_towards_the_original_mean_shrinks_about_it(census_data: ammg.Microdata) -> None:
    plain = noisy(census_data, d=0.3, below_zero="allow").to_numpy()
    rescaled = noisy(census_data, d=0.3, rescaled=True, centre="original", below_zero="allow").to_numpy()
    mean, shrink = census_data.table.to_numpy().mean(axis=0), 1.3**-0.5
    np.testing.assert_allclose(rescaled, shrink * plain + (1 - shrink) * mean, rtol=1e-9, atol=1e-5)


def test_covariances_are_multiplied_in_the_mean_over_secrets(census_data: ammg.Microdata) -> None:
    data = ammg.Microdata(census_data.table.select("AGI", "FEDTAX", "PTOTVAL"))
    covariance = np.cov(data.table.to_numpy(), rowvar=False)
    found = np.array(
        [
            np.cov(noisy(data, secret, d=0.5, below_zero="allow").to_numpy(), rowvar=False)
            for secret in map(Secret.known, range(60))
        ]
    )
    standard_error = found.std(axis=0, ddof=1) / np.sqrt(60)
    assert np.all(np.abs(found.mean(axis=0) - 1.5 * covariance) < 4 * standard_error)


def test_observed_cells_are_masked_and_missing_ones_stay() -> None:
    table = holes()
    masked = noisy(table, d=0.2)
    for name in table.columns:
        assert masked[name].is_null().equals(table[name].is_null())
        assert (masked[name] - table[name]).drop_nulls().abs().min() > 0


def test_missing_values_are_refused_when_told_so() -> None:
    with pytest.raises(InputError, match="Column 'a' has 5 missing values, which correlated_noise refuses"):
        noisy(holes(), missing="refuse")


def test_each_frequent_pattern_of_missing_values_is_masked_with_what_it_has() -> None:
    table = holes()
    masked = noisy(table, d=0.3, missing="by_pattern")
    for name in table.columns:
        assert masked[name].is_null().equals(table[name].is_null())
        assert (masked[name] - table[name]).drop_nulls().abs().min() > 0


def test_patterns_that_are_complete_in_themselves_allow_exact_noise() -> None:
    table = holes().filter(pl.col("a").is_not_null())
    masked = noisy(table, d=0.3, exact=True, missing="by_pattern")
    for rows, names in ((table["b"].is_null(), ["a", "c"]), (table["b"].is_not_null(), ["a", "b", "c"])):
        before, after = (frame.filter(rows).select(names).to_numpy() for frame in (table, masked))
        assert gap(np.cov(after, rowvar=False), 1.3 * np.cov(before, rowvar=False)) < 1e-8


def test_exact_noise_needs_complete_columns() -> None:
    with pytest.raises(InputError, match="exact noise needs complete columns"):
        noisy(holes(), exact=True)


def test_exact_noise_needs_more_records_than_columns_twice() -> None:
    with pytest.raises(InputError, match="exact noise for 3 columns needs more than 6 records, but there are 6"):
        noisy(pl.DataFrame(np.random.default_rng(1).normal(size=(6, 3)), schema=["a", "b", "c"]), exact=True)


def test_weights_decide_which_covariance_is_multiplied(survey: ammg.Microdata) -> None:
    names = ["wages", "pensions"]
    masked = noisy(survey, columns=names, d=0.5, exact=True).select(names).to_numpy()
    original, weights = survey.table.select(names).to_numpy(), survey.table["weight"].to_numpy()
    before, after = (np.cov(part, rowvar=False, aweights=weights) for part in (original, masked))
    assert gap(after, 1.5 * before) < 1e-8


def test_a_constant_column_stays_as_it_is() -> None:
    table = pl.DataFrame({"x": np.random.default_rng(1).normal(size=50), "c": np.full(50, 3.0)})
    assert noisy(table, exact=True)["c"].to_numpy() == pytest.approx(3.0, abs=1e-9)
