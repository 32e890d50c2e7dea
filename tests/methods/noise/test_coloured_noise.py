"""What normal, mixture and joint mixture noise have in common."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.published import NoiseLaw
from ammg.draws import Secret
from ammg.errors import InputError

METHODS = [ammg.CorrelatedNoise, ammg.MixtureNoise, ammg.JointMixtureNoise]


def masked_by(method, data) -> np.ndarray:
    return ammg.Pipeline([method]).run(data, secret=5).table.to_numpy()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("root", ["eig", "sym", "chol", "corr-sym"])
def test_a_total_is_still_the_sum_of_its_parts(census_data, method, root) -> None:
    masked = masked_by(method(root=root, d=0.5), census_data)
    gap = masked[:, 4] - masked[:, 7] - masked[:, 9]  # PTOTVAL = POTHVAL + PEARNVAL
    assert np.abs(gap).max() < 1e-9 * np.abs(masked[:, 4]).max()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rescaled", [False, True])
def test_exact_noise_keeps_means_and_covariances_to_eight_digits(census_data, method, rescaled) -> None:
    original = census_data.table.to_numpy().astype(float)
    masked = masked_by(method(d=0.2, exact=True, rescaled=rescaled), census_data)
    before, after = np.cov(original.T), np.cov(masked.T)
    scale = np.sqrt(np.outer(np.diag(before), np.diag(before)))
    assert np.abs((after - (1.0 if rescaled else 1.2) * before) / scale).max() < 1e-8
    np.testing.assert_allclose(masked.mean(axis=0), original.mean(axis=0), rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_covariances_grow_by_d_in_expectation_and_rescaling_takes_it_back(method) -> None:
    rng = np.random.default_rng(2)
    records = rng.normal(size=(40_000, 2)) @ np.array([[1.0, 0.6], [0.0, 0.8]])
    data = pl.DataFrame(records, schema=["a", "b"])
    before = np.cov(records.T)
    np.testing.assert_allclose(np.cov(masked_by(method(d=0.5), data).T), 1.5 * before, atol=0.05)
    np.testing.assert_allclose(np.cov(masked_by(method(d=0.5, rescaled=True), data).T), before, atol=0.035)


@pytest.mark.parametrize("method", METHODS)
def test_rescaling_towards_the_masked_mean_keeps_it_and_the_correlations(census_data, method) -> None:
    plain, scaled = (masked_by(method(rescaled=flag, below_zero="allow"), census_data) for flag in (False, True))
    np.testing.assert_allclose(scaled.mean(axis=0), plain.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(np.cov(scaled.T) * 1.1, np.cov(plain.T), rtol=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_rescaling_keeps_the_masked_mean_and_spread_of_what_is_observed(method) -> None:
    rng = np.random.default_rng(1)
    values = rng.multivariate_normal([10, 20], [[4, 3], [3, 9]], 200)
    values[rng.random((200, 2)) < 0.4] = np.nan
    data = pl.DataFrame(values, schema=["a", "b"], nan_to_null=True)
    plain, shrunk = (masked_by(method(d=1.0, rescaled=rescaled), data) for rescaled in (False, True))
    np.testing.assert_allclose(np.nanmean(shrunk, axis=0), np.nanmean(plain, axis=0), rtol=1e-12)
    np.testing.assert_allclose(2 * np.nanvar(shrunk, axis=0), np.nanvar(plain, axis=0), rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_missing_values_stay_and_all_others_are_masked(census_data, method) -> None:
    holes = census_data.table.with_columns(pl.when(pl.int_range(pl.len()) % 7 != 0).then(pl.col("AGI")).alias("AGI"))
    masked = ammg.Pipeline([method(columns=["AGI", "FICA"])]).run(holes, secret=1).table
    assert masked["AGI"].is_null().sum() == holes["AGI"].is_null().sum()
    assert (masked["FICA"] != holes["FICA"]).all()


@pytest.mark.parametrize("method", METHODS)
def test_the_law_that_is_told_undoes_the_rescaling(census_data, method) -> None:
    plain = masked_by(method(below_zero="allow"), census_data)
    run = ammg.Pipeline([method(rescaled=True, below_zero="allow")]).run(census_data, secret=5)
    law = run.published[0]
    assert isinstance(law, NoiseLaw)
    undone = (run.table.to_numpy() - (1 - law.scale) * law.centre) / law.scale
    np.testing.assert_allclose(undone, plain, rtol=1e-7, atol=1e-5)
    np.testing.assert_allclose(law.covariance, 0.1 * np.cov(census_data.table.to_numpy().T), rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_exact_noise_refuses_gaps_and_short_files(census_data, method) -> None:
    with pytest.raises(InputError, match="needs complete columns"):
        ammg.Pipeline([method(exact=True)]).run(pl.DataFrame({"a": [1.0, None, 3.0, 5.0]}))
    with pytest.raises(InputError, match="needs more than 2 records"):
        ammg.Pipeline([method(exact=True)]).run(pl.DataFrame({"a": [1.0, 2.0]}))


@pytest.mark.parametrize("method", METHODS)
def test_exact_noise_is_as_strong_on_records_of_no_weight_and_needs_enough_others(method) -> None:
    table = pl.DataFrame(np.random.default_rng(0).normal(size=(90, 3)), schema=["a", "b", "c"])
    step = method(columns=["a", "b", "c"], exact=True, d=0.1)
    for counting in (18, 19):
        weights = pl.Series([1.0] * counting + [0.0] * (90 - counting))
        data = ammg.Microdata(table.with_columns(w=weights)).with_roles(weight="w")
        if counting == 18:
            with pytest.raises(
                InputError, match="needs more than 18 records of positive weight, but there are 18: drop"
            ):
                ammg.Pipeline([step]).run(data, secret=1)
            continue
        for secret in map(Secret.known, range(20)):
            masked = ammg.Pipeline([step]).run(data, secret=secret).table.select("a", "b", "c")
            change = masked.to_numpy() - table.to_numpy()
            assert change[counting:].std() < 4 * change[:counting].std()
