import numpy as np
import pytest
from beside import found, pair_of

import ammg
from ammg.kernels.loss.models import interval_overlap, linear, logistic

RNG = np.random.default_rng(7)
N = 2000
X = RNG.normal(size=N)
Y = 2 * X + RNG.normal(size=N)


def test_overlap_is_the_mean_share_that_two_intervals_have_in_common() -> None:
    ends = [np.array([value]) for value in (0.0, 2.0, 1.0, 2.0)]
    assert interval_overlap(*ends)[0] == pytest.approx((1 / 2 + 1 / 1) / 2, abs=1e-5)
    apart = [np.array([value]) for value in (0.0, 1.0, 2.0, 3.0)]
    assert interval_overlap(*apart)[0] == 0


def test_coefficients_and_errors_are_those_of_least_squares() -> None:
    from scipy.stats import linregress

    table = found(ammg.RegressionOverlap(targets="y"), {"x": X, "y": Y}, {"x": X, "y": Y}).tables["coefficients"]
    known = linregress(X, Y)
    scale = X.std() / Y.std()  # both are in standard deviations
    assert table["original"][1] == pytest.approx(known.slope * scale)
    assert table["error_original"][1] == pytest.approx(known.stderr * scale)


def test_a_fresh_sample_of_the_same_population_overlaps_as_theory_says() -> None:
    # Two independent estimates with equal errors: the expected overlap of their intervals is about 0.71.
    overlaps = []
    for _ in range(200):
        x, z = RNG.normal(size=(2, 300))
        first, second = linear(x[:, None], x + RNG.normal(size=300)), linear(z[:, None], z + RNG.normal(size=300))
        ends = [fit.coefficients + sign * 1.96 * fit.errors for fit in (first, second) for sign in (-1, 1)]
        overlaps.append(float(interval_overlap(*ends)[0]))
    draws = np.abs(RNG.normal(size=100_000)) * np.sqrt(2)
    expected = np.clip(1 - draws / (2 * 1.96), 0, None).mean()
    assert np.mean(overlaps) == pytest.approx(expected, abs=0.05)


def test_noise_on_the_regressor_takes_its_interval_away() -> None:
    noisy = X + RNG.normal(size=N)
    result = found(ammg.RegressionOverlap(targets="y"), {"x": X, "y": Y}, {"x": noisy, "y": Y})
    table = result.tables["coefficients"]
    assert table["overlap"][1] == 0
    assert table["masked"][1] == pytest.approx(table["original"][1] / 2, rel=0.1)  # attenuation by half
    assert result.value == pytest.approx((1 - table["overlap"][0] + 1) / 2)


def test_a_category_is_explained_by_logistic_regression() -> None:
    chance = 1 / (1 + np.exp(-(0.5 + 1.5 * X)))
    yes = RNG.random(N) < chance
    fit = logistic(np.column_stack([np.ones(N), X]), yes.astype(float))
    assert fit.coefficients == pytest.approx([0.5, 1.5], abs=4 * fit.errors.max())
    columns = {"x": X, "vote": np.where(yes, "yes", "no").tolist()}
    assert found(ammg.RegressionOverlap(targets="vote"), columns, columns).value == 0
    shuffled = {**columns, "x": RNG.permutation(X)}
    assert found(ammg.RegressionOverlap(targets="vote"), columns, shuffled).tables["coefficients"]["overlap"][1] == 0


def test_sums_do_not_stop_it(survey: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["age"], p=0.3)]).run(survey, 1)
    assert 0 < ammg.evaluate(masked, "regression_overlap").value("regression_overlap") < 1


def test_a_constant_has_no_regression() -> None:
    pair = pair_of({"x": [1.0, 1.0, 1.0]}, {"x": [1.0, 2.0, 3.0]})
    assert ammg.evaluate(pair, "regression_overlap")["regression_overlap"].reason.startswith("no regression can be")
