from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.published import NoiseLaw
from ammg.errors import InputError


def noisy(data: object, secret: int = 1, **options: object) -> pl.DataFrame:
    return ammg.Pipeline([ammg.AdditiveNoise(**options)]).run(data, secret).table


def test_noise_has_the_share_of_the_columns_deviation() -> None:
    values = np.random.default_rng(1).lognormal(8, 1, 20_000)
    noise = noisy(pl.DataFrame({"x": values}), columns=["x"], p=0.3, below_zero="allow")["x"].to_numpy() - values
    expected = 0.3 * values.std(ddof=1)
    assert noise.std() == pytest.approx(expected, rel=4 / np.sqrt(2 * 20_000))
    assert abs(noise.mean()) < 4 * expected / np.sqrt(20_000)
    assert abs(np.corrcoef(noise, values)[0, 1]) < 4 / np.sqrt(20_000)


def test_noise_of_two_columns_is_independent() -> None:
    values = np.random.default_rng(1).normal(size=(20_000, 2))
    table = pl.DataFrame({"x": values[:, 0], "y": values[:, 1]})
    noise = noisy(table, columns=["x", "y"]).to_numpy() - values
    assert abs(np.corrcoef(noise.T)[0, 1]) < 4 / np.sqrt(20_000)


def test_masking_two_columns_gives_the_same_second_as_masking_it_alone(survey: ammg.Microdata) -> None:
    both = noisy(survey, columns=["wages", "income"])["income"]
    assert both.equals(noisy(survey, columns=["income"])["income"])


def test_missing_values_and_constants_stay() -> None:
    table = pl.DataFrame({"x": [1.0, None, 3.0], "c": [7, 7, 7]})
    masked = noisy(table, columns=["x", "c"])
    assert masked["x"].is_null().to_list() == [False, True, False]
    assert masked["c"].to_list() == [7, 7, 7]


def test_weights_decide_the_deviation() -> None:
    table = pl.DataFrame({"x": [0.0, 1.0, 100.0], "w": [1.0, 1.0, 0.0]})
    law = ammg.Pipeline([ammg.AdditiveNoise(columns=["x"], p=1)]).run(ammg.Microdata(table).with_roles(weight="w"))
    (published,) = law.published
    assert isinstance(published, NoiseLaw)
    assert published.covariance[0, 0] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("law", "kurtosis"), [("normal", 3.0), ("laplace", 6.0), ("uniform", 1.8), ("mixture", 1.09875)]
)
def test_every_law_has_the_same_variance_and_its_own_tails(law: str, kurtosis: float) -> None:
    values = np.random.default_rng(2).normal(size=100_000)
    noise = noisy(pl.DataFrame({"x": values}), columns=["x"], p=0.5, law=law)["x"].to_numpy() - values
    standard = noise / (0.5 * values.std(ddof=1))
    assert abs(standard.mean()) < 4 / np.sqrt(100_000)
    assert (standard**2).mean() == pytest.approx(1, abs=0.03)
    assert (standard**4).mean() == pytest.approx(kurtosis, rel=0.1)


@pytest.mark.parametrize("law", ["normal", "laplace", "uniform", "mixture"])
def test_exact_noise_keeps_the_mean_and_raises_the_variance_by_one_plus_p_squared(
    census_data: ammg.Microdata, law: str
) -> None:
    before = census_data.table.to_numpy().astype(float)
    after = noisy(census_data, p=0.4, exact=True, law=law).to_numpy()
    np.testing.assert_allclose(after.mean(axis=0), before.mean(axis=0), rtol=1e-10)
    np.testing.assert_allclose(after.var(axis=0), 1.16 * before.var(axis=0), rtol=1e-9)


def test_the_mixture_is_that_of_mixture_noise_and_is_told() -> None:
    table = pl.DataFrame({"x": np.random.default_rng(3).normal(size=500), "y": np.arange(500.0)})
    single, coloured = (
        ammg.Pipeline([method]).run(table.select("x"), secret=1)
        for method in (ammg.AdditiveNoise(p=0.5, law="mixture"), ammg.MixtureNoise(d=0.25))
    )
    np.testing.assert_allclose(single.table["x"].to_numpy(), coloured.table["x"].to_numpy(), rtol=1e-9)
    assert single.published[0].mixture == coloured.published[0].mixture
    both = ammg.Pipeline([ammg.AdditiveNoise(p=0.5, law="mixture")]).run(table, secret=1)
    found, blind = (
        ammg.NoiseLawLinkage().measure(
            Pair(both.pair.original, both.pair.masked, both.pair.link, told), ammg.Scenario(known=("x", "y"))
        )
        for told in (both.published, (replace(both.published[0], mixture=None),))
    )
    assert (found.facts["law"], blind.facts["law"]) == ("mixture", "normal")
    assert found.facts["mean_probability_of_truth"] > 2 * blind.facts["mean_probability_of_truth"]


def test_exact_noise_needs_enough_records_that_count() -> None:
    data = ammg.Microdata(pl.DataFrame({"x": [1.0, 2, 4, 8, 9, 5, 7], "w": [1.0, 3, 1, 1, 2, 2, 0]})).with_roles(
        weight="w"
    )
    with pytest.raises(
        InputError, match="for one column needs more than 6 records of positive weight, but there are 6"
    ):
        ammg.Pipeline([ammg.AdditiveNoise(columns=["x"], exact=True)]).run(data, secret=1)


def two_groups(n: int = 20_000) -> tuple[pl.DataFrame, np.ndarray]:
    rng = np.random.default_rng(6)
    small = rng.random(n) < 0.3
    values = np.where(small, rng.normal(10, 1, n), rng.normal(5000, 400, n))
    return pl.DataFrame({"x": values, "size": np.where(small, "small", "large")}), small


def test_noise_within_groups_has_the_share_of_the_groups_deviation() -> None:
    table, small = two_groups()
    values = table["x"].to_numpy()
    noise = noisy(table, columns=["x"], p=0.3, within=["size"], below_zero="allow")["x"].to_numpy() - values
    for group in (small, ~small):
        expected = 0.3 * values[group].std(ddof=1)
        assert noise[group].std() == pytest.approx(expected, rel=4 / np.sqrt(2 * group.sum()))
        one = pl.DataFrame({"x": values}).with_columns(pl.lit("a").alias("size"))
        alone = noisy(one, columns=["x"], p=0.3, below_zero="allow")["x"]
        ratio = noise[group] / (alone.to_numpy() - values)[group]  # the draws are those of the whole file
        np.testing.assert_allclose(ratio, values[group].std(ddof=1) / values.std(ddof=1), rtol=1e-6)


def test_one_group_is_the_whole_file() -> None:
    table = two_groups(500)[0].with_columns(pl.lit("a").alias("all"))
    within = noisy(table, columns=["x"], within=["all"])["x"].to_numpy()
    np.testing.assert_allclose(within, noisy(table, columns=["x"])["x"].to_numpy(), rtol=1e-12)


def test_the_law_of_noise_within_groups_is_normal_with_its_mean_variance() -> None:
    table, small = two_groups()
    values = table["x"].to_numpy()
    step = ammg.AdditiveNoise(columns=["x"], p=0.5, law="mixture", within=["size"])
    (law,) = ammg.Pipeline([step]).run(table, secret=1).published
    expected = 0.25 * (small.mean() * values[small].var(ddof=1) + (~small).mean() * values[~small].var(ddof=1))
    assert law.covariance[0, 0] == pytest.approx(expected)
    assert law.mixture is None


def test_bounds_that_are_met_by_drawing_again_keep_to_the_groups() -> None:
    table, small = two_groups(2000)
    step = {"columns": ["x"], "p": 2, "within": ["size"], "bounds": {"x": (5, None)}, "beyond": "redraw"}
    masked = noisy(table, **step)["x"].to_numpy()
    assert masked.min() >= 5
    assert masked[small].max() < 25  # 10 and less than eight deviations of 2


def test_zeros_that_stay_make_the_noise_of_their_group_stronger() -> None:
    rng = np.random.default_rng(7)
    zone = np.repeat(["a", "b"], 20_000)
    values = np.where((zone == "a") & (rng.random(40_000) < 0.5), 0.0, rng.normal(100, 10, 40_000))
    table = pl.DataFrame({"x": values, "zone": zone})
    noise = noisy(table, columns=["x"], within=["zone"], zeros="keep")["x"].to_numpy() - values
    assert (noise[values == 0] == 0).all()
    for name in ("a", "b"):
        mine = zone == name
        assert noise[mine].var() == pytest.approx(0.01 * values[mine].var(), rel=0.05)


def test_a_group_without_a_deviation_is_refused_or_told() -> None:
    table = pl.DataFrame({"x": [1.0, 2, 3, 4, 4, 9], "g": ["a", "a", "a", "b", "b", "c"]})
    with pytest.raises(
        InputError, match="1 of 3 groups by g have fewer than two values of 'x', hence no standard deviation"
    ):
        noisy(table, columns=["x"], within=["g"])
    run = ammg.Pipeline([ammg.AdditiveNoise(columns=["x"], within=["g"])]).run(table.head(5), secret=1)
    assert run.table["x"].to_list()[3:] == [4, 4]
    assert run.steps[0].notes == ("'x' does not vary in 1 of 2 groups by g: 2 values are left unchanged",)
    own = pl.DataFrame({"x": [1.0, 1, 2, 2], "g": ["a", "a", "b", "b"]})
    run = ammg.Pipeline([ammg.AdditiveNoise(columns=["x"], within=["g"])]).run(own, secret=1)
    assert run.steps[0].notes[0] == "'x' does not vary in 2 of 2 groups by g: 4 values are left unchanged"
    with pytest.raises(InputError, match="drop either `within` or `exact`"):
        ammg.AdditiveNoise(within=["g"], exact=True)
