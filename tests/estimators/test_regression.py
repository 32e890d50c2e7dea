from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError
from ammg.estimators.regression import corrected_regression
from ammg.estimators.subdomain import unscale

NOISE = np.array([[0.5, 0.2, 0.1], [0.2, 0.4, -0.1], [0.1, -0.1, 0.6]])
ROOT = np.linalg.cholesky(NOISE)
TRUTH = np.array([1.0, 2.0, -1.5])


def simulate(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    x = rng.multivariate_normal([1, -2], [[1.0, 0.4], [0.4, 2.0]], size=n)
    y = TRUTH[0] + x @ TRUTH[1:] + rng.normal(size=n) * (0.5 + 0.5 * np.abs(x[:, 0]))
    original = np.column_stack([x, y])
    return original, original + rng.normal(size=(n, 3)) @ ROOT.T


def test_coefficients_and_standard_errors_are_those_of_the_simulation():
    rng = np.random.default_rng(1)
    fits = [corrected_regression(simulate(800, rng)[1], NOISE, 2, [0, 1]) for _ in range(1000)]
    estimates = np.array([fit.coefficients for fit in fits])
    errors = np.array([fit.standard_errors for fit in fits])
    spread = estimates.std(axis=0)
    assert (np.abs(np.median(estimates, axis=0) - TRUTH) < 4 * 1.25 * spread / np.sqrt(1000) + 0.01).all()
    np.testing.assert_allclose(np.median(errors, axis=0), spread, rtol=0.1)
    covered = (np.abs(estimates - TRUTH) < 1.96 * errors).mean(axis=0)
    assert ((covered > 0.925) & (covered < 0.975)).all()


def test_regression_on_the_noisy_columns_alone_is_far_off():
    _, masked = simulate(50_000, np.random.default_rng(1))
    naive = np.linalg.lstsq(np.column_stack([np.ones(50_000), masked[:, :2]]), masked[:, 2], rcond=None)[0]
    corrected = corrected_regression(masked, NOISE, 2, [0, 1]).coefficients
    assert np.abs(naive - TRUTH).max() > 0.3
    np.testing.assert_allclose(corrected, TRUTH, atol=0.06)


def test_without_noise_it_is_least_squares_with_heteroscedastic_errors():
    original, _ = simulate(5000, np.random.default_rng(2))
    fit = corrected_regression(original, np.zeros((3, 3)), 2, [0, 1])
    design = np.column_stack([np.ones(5000), original[:, :2]])
    beta = np.linalg.lstsq(design, original[:, 2], rcond=None)[0]
    residual = original[:, 2] - design @ beta
    bread = np.linalg.inv(design.T @ design)
    white = bread @ (design.T * residual**2) @ design @ bread
    np.testing.assert_allclose(fit.coefficients, beta, atol=1e-10)
    np.testing.assert_allclose(fit.standard_errors, np.sqrt(np.diag(white)), rtol=2e-3)


@pytest.mark.parametrize("rescaled", [False, True])
def test_a_masked_file_and_its_published_parameters_are_enough(rescaled) -> None:
    original, _ = simulate(20_000, np.random.default_rng(5))
    data = pl.DataFrame(original, schema=["x1", "x2", "y"])
    masked = ammg.Pipeline([ammg.MixtureNoise(d=0.3, rescaled=rescaled)]).run(data, secret=1)
    law = masked.published[0]
    records = masked.table.to_numpy()
    if rescaled:
        records = unscale(records, law.centre, law.strength)
    part = original[:, 0] > 1  # a subdomain that users know from elsewhere
    fit = corrected_regression(records[part], law.covariance, 2, [0, 1])
    plain = corrected_regression(original[part], np.zeros((3, 3)), 2, [0, 1])
    assert (np.abs(fit.coefficients - plain.coefficients) < 4 * fit.standard_errors).all()
    assert fit.standard_errors.max() < 0.3


def test_a_mean_of_the_noise_is_taken_out():
    _, masked = simulate(1000, np.random.default_rng(3))
    shift = np.array([5.0, 0.0, -3.0])
    plain = corrected_regression(masked, NOISE, 2, [0, 1])
    shifted = corrected_regression(masked + shift, NOISE, 2, [0, 1], bias=shift)
    np.testing.assert_allclose(shifted.coefficients, plain.coefficients, atol=1e-9)


def test_regressors_of_pure_noise_and_short_files_are_refused():
    rng = np.random.default_rng(4)
    with pytest.raises(ValueError, match="noise accounts for all"):
        corrected_regression(0.5 * rng.normal(size=(100, 3)) @ ROOT.T, NOISE, 2, [0, 1])
    with pytest.raises(ValueError, match="do not determine"):
        corrected_regression(np.ones((3, 3)), NOISE, 2, [0, 1])


def test_weights_correct_for_a_sample_that_depends_on_the_response():
    rng = np.random.default_rng(2)
    fits, plain = [], []
    for _ in range(400):
        original, masked = simulate(1500, rng)
        inclusion = 1 / (1 + np.exp(-original[:, 2] / 4))
        kept = rng.random(1500) < inclusion
        fits.append(corrected_regression(masked[kept], NOISE, 2, [0, 1], weights=1 / inclusion[kept]))
        plain.append(corrected_regression(masked[kept], NOISE, 2, [0, 1]).coefficients)
    estimates = np.array([fit.coefficients for fit in fits])
    errors = np.array([fit.standard_errors for fit in fits])
    assert (np.abs(np.median(plain, axis=0) - TRUTH) > 0.05).any()  # the sample does mislead
    assert (np.abs(np.median(estimates, axis=0) - TRUTH) < 4 * 1.25 * estimates.std(axis=0) / 20 + 0.02).all()
    covered = (np.abs(estimates - TRUTH) < 1.96 * errors).mean(axis=0)
    assert ((covered > 0.9) & (covered < 0.985)).all()


def test_weights_that_are_all_the_same_change_nothing():
    _, masked = simulate(300, np.random.default_rng(3))
    plain = corrected_regression(masked, NOISE, 2, [0, 1])
    weighted = corrected_regression(masked, NOISE, 2, [0, 1], weights=np.full(300, 7.0))
    np.testing.assert_allclose(weighted.coefficients, plain.coefficients, rtol=1e-12)
    np.testing.assert_allclose(weighted.covariance, plain.covariance, rtol=1e-12)


def test_records_with_a_missing_value_in_a_column_that_is_used_are_left_out():
    _, masked = simulate(300, np.random.default_rng(3))
    holes = masked.copy()
    holes[5, 0] = holes[9, 2] = np.nan
    fit = corrected_regression(holes, NOISE, 2, [0, 1])
    expected = corrected_regression(np.delete(masked, [5, 9], axis=0), NOISE, 2, [0, 1])
    np.testing.assert_array_equal(fit.coefficients, expected.coefficients)
    fit = corrected_regression(holes, NOISE, 1, [0])
    expected = corrected_regression(np.delete(masked, 5, axis=0), NOISE, 1, [0])
    np.testing.assert_array_equal(fit.coefficients, expected.coefficients)


@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow", "lists"])
def test_tables_are_taken_with_the_names_of_their_columns(library):
    _, masked = simulate(300, np.random.default_rng(3))
    table = pl.DataFrame(masked, schema=["a", "b", "y"])
    given = {"polars": table, "pandas": table.to_pandas(), "pyarrow": table.to_arrow(), "lists": masked.tolist()}[
        library
    ]
    response, regressors = (2, [0, 1]) if library == "lists" else ("y", ["a", "b"])
    fit = ammg.estimators.corrected_regression(given, NOISE.tolist(), response, regressors)
    np.testing.assert_array_equal(fit.coefficients, corrected_regression(masked, NOISE, 2, [0, 1]).coefficients)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"regressors": []}, "There is no regressor: name at least one column"),
        ({"regressors": ["a", "a"]}, "A column is named twice"),
        ({"regressors": ["y"]}, "A column is named twice"),
        ({"response": "z"}, "Column 'z' not found"),
        ({"response": 5}, "There is no column 5: positions are 0 to 2"),
        ({"noise": np.eye(2)}, r"shape \(2, 2\) but there are 3 columns"),
        ({"weights": [1.0]}, "There are 1 weights but 50 records"),
        ({"weights": [-1.0] * 50}, "A weight is negative, missing or infinite"),
        (
            {"masked": pl.DataFrame({"a": ["x"], "b": [1], "y": [2]})},
            "Column 'a' is String: choose the columns that are",
        ),
        ({"masked": [1.0, 2.0], "response": 0, "regressors": [1]}, "The records have 1 dimensions"),
    ],
)
def test_what_cannot_be_estimated_is_refused_in_one_sentence(wrong, message):
    _, masked = simulate(50, np.random.default_rng(3))
    table = pl.DataFrame(masked, schema=["a", "b", "y"])
    given = {"masked": table, "noise": NOISE, "response": "y", "regressors": ["a", "b"], **wrong}
    with pytest.raises(ammg.AmmgError, match=message):
        corrected_regression(**given)


def test_noise_and_bias_that_do_not_fit_the_records_are_refused():
    records = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(InputError, match=r"shape \(4, 3, 3\), but there are 20 records of 3 columns"):
        corrected_regression(records, np.tile(np.eye(3), (4, 1, 1)), 2, [0, 1])
    with pytest.raises(InputError, match=r"The means are \[1.0, 2.0\] but there are 3 columns"):
        corrected_regression(records, 0.1 * np.eye(3), 2, [0, 1], bias=[1.0, 2.0])
    with pytest.raises(InputError, match="missing or infinite entry"):
        corrected_regression(records, np.full((3, 3), np.nan), 2, [0, 1])
