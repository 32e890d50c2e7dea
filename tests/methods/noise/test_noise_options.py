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
    data = DATA.with_columns(pl.col("wages").clip(0, 200), pl.col("other").clip(None, 1.5))
    bounds = {"wages": (0, 200), "other": (None, 1.5)}
    masked = run(method(columns=["wages", "other"], bounds=bounds, beyond=beyond), data)
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
    free = run(ammg.CorrelatedNoise(columns=["wages", "other"], below_zero="allow"))
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


@pytest.mark.parametrize("method", [ammg.AdditiveNoise(p=0.5), ammg.CorrelatedNoise(d=0.25), ammg.MixtureNoise(d=0.25)])
def test_where_zeros_stay_weights_decide_how_much_stronger_the_noise_of_the_others_is(method) -> None:
    weights = np.where(WAGES == 0, 10.0, 1.0)
    data = ammg.Microdata(DATA.with_columns(weight=weights)).with_roles(weight="weight")
    step = method.model_copy(update={"columns": ("wages",), "zeros": "keep", "below_zero": "allow"})
    masked = ammg.Pipeline([step]).run(data, secret=1)
    change = masked.table["wages"].to_numpy() - WAGES
    spread = np.cov(WAGES, aweights=weights)
    assert np.average(change**2, weights=weights) == pytest.approx(0.25 * spread, rel=0.08)
    told = masked.published[0]
    assert told.covariance[0, 0] == pytest.approx(np.mean(change[WAGES != 0] ** 2), rel=0.08)
    assert told.keeps == "zeros"


@pytest.mark.parametrize("option", [{"integers": True}, {"bounds": {"wages": (0, None)}, "beyond": "truncate"}])
def test_zeros_that_rounding_or_a_bound_adds_to_are_not_told_as_kept(option) -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["wages"], zeros="keep", **option)]).run(DATA, secret=1)
    assert masked.published[0].keeps == "nothing"


def test_bounds_that_leave_no_room_or_name_other_columns_are_refused() -> None:
    with pytest.raises(InputError, match=r"bounds of 'wages' leave no room: 5 is not below 5"):
        run(ammg.AdditiveNoise(columns=["wages"], bounds={"wages": (5, 5)}))
    with pytest.raises(InputError, match=r"a bound names 'wage', which is not masked. Did you mean 'wages'\?"):
        ammg.AdditiveNoise(columns=["wages"], bounds={"wage": (0, None)})
    for policy in ("available", "by_pattern"):
        with pytest.raises(InputError, match=r"A bound names 'wage', which is not masked. Did you mean 'wages'\?"):
            run(ammg.CorrelatedNoise(bounds={"wage": (0, None)}, missing=policy))


@pytest.mark.parametrize("method", [ammg.CorrelatedNoise, ammg.MixtureNoise, ammg.OutlierNoise])
def test_bounds_hold_where_each_pattern_of_missing_values_is_masked_apart(method) -> None:
    holes = DATA.with_columns(wages=pl.when(pl.int_range(4000) % 4 == 0).then(None).otherwise("wages"))
    step = method(columns=["wages", "other"], bounds={"wages": (0, None)}, missing="by_pattern")
    masked = ammg.Pipeline([step]).run(holes, secret=1).table
    assert masked["wages"].null_count() == 1000
    assert masked["wages"].min() >= 0
    assert (masked["other"] != DATA["other"])[::4].any()  # where wages are missing too


@pytest.mark.parametrize("option", [{"bounds": {"wages": (0, None)}}, {"integers": True}, {"zeros": "keep"}])
@pytest.mark.parametrize("method", [ammg.AdditiveNoise, ammg.CorrelatedNoise])
def test_exact_moments_and_an_option_that_breaks_them_are_refused(method, option) -> None:
    with pytest.raises(InputError, match="drop either `exact` or these"):
        run(method(columns=["wages"], exact=True, **option))


@pytest.mark.parametrize("bounds", [(-np.inf, np.inf), (0, np.inf), (np.nan, 1), (np.inf, None)])
def test_a_bound_that_is_no_number_is_refused_at_once(bounds) -> None:
    with pytest.raises(InputError, match=r"^AdditiveNoise: bounds\.wages\.\d should be a finite number"):
        ammg.AdditiveNoise(bounds={"wages": bounds})


def test_bounds_without_a_whole_number_are_refused() -> None:
    with pytest.raises(InputError, match=r"No whole number lies between the bounds of 'count', 0\.2 and 0\.8"):
        run(ammg.AdditiveNoise(columns=["count"], bounds={"count": (0.2, 0.8)}, integers=True))


def test_zeros_that_stay_and_bounds_that_exclude_them_are_refused_at_once() -> None:
    with pytest.raises(InputError, match="zeros are kept, but the bounds of 'wages' exclude zero"):
        ammg.AdditiveNoise(zeros="keep", bounds={"wages": (5, None)})
    assert ammg.AdditiveNoise(zeros="keep", bounds={"wages": (0, 5)}).bounds == {"wages": (0, 5)}


@pytest.mark.parametrize("beyond", ["reflect", "truncate", "redraw"])
@pytest.mark.parametrize("method", [*METHODS, ammg.OutlierNoise, ammg.LogNoise])
def test_data_beyond_their_bounds_are_refused(method, beyond) -> None:
    data = DATA.filter(pl.col("wages") > 0)
    with pytest.raises(InputError, match=r"'wages' has the value \d+, beyond its bounds \(0 to 10\): widen the bounds"):
        run(method(columns=["wages"], bounds={"wages": (0, 10)}, beyond=beyond), data)


@pytest.mark.parametrize("offset", [1e15, 1.7e18])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("method", [ammg.AdditiveNoise, ammg.CorrelatedNoise])
def test_a_narrow_column_far_from_zero_is_no_constant(method, exact, offset) -> None:
    spacing = np.spacing(offset)
    values = offset + spacing * np.round(RNG.normal(0, 40, 4000))
    strength = {"p": 0.5} if method is ammg.AdditiveNoise else {"d": 0.25}
    masked = run(method(columns=["x"], exact=exact, **strength), pl.DataFrame({"x": values}))["x"].to_numpy()
    noise = (masked - values) / spacing
    # A noise of 20 spacings, rounded to spacings, is uniform on an interval of one: 400 + 1/12.
    assert noise.std() == pytest.approx(20, rel=0.05)
    assert abs(noise.mean()) < 4 * 20 / np.sqrt(4000)


@pytest.mark.parametrize("value", [0.1, 1e15 + 0.125, -7.0])
@pytest.mark.parametrize("method", METHODS)
def test_a_constant_column_stays_as_it_is_to_the_last_bit(method, value) -> None:
    data = DATA.with_columns(pl.lit(value).alias("constant"))
    masked = run(method(columns=["constant", "wages"]), data)
    assert (masked["constant"] == value).all()
    assert (masked["wages"] != WAGES).sum() > 2000


def test_many_zeros_and_values_below_zero_are_noted_with_what_to_do() -> None:
    table = pl.DataFrame(
        {"wages": [0.0] * 54 + [1_000.0 + i for i in range(46)], "age": [20 + i % 60 for i in range(100)]}
    )
    notes = ammg.Pipeline([ammg.AdditiveNoise(columns=["wages", "age"])]).run(table, 1).steps[0].notes
    assert notes == (
        "54 % of 'wages' are zeros, which the noise changes: write zeros: keep to leave them",
        "'wages' has no negative values and gets none, which raises its mean if many values are near zero: "
        "write below_zero: allow to keep the mean",
    )
    quiet = ammg.AdditiveNoise(columns=["wages", "age"], zeros="keep", bounds={"wages": (0, None)})
    masked = ammg.Pipeline([quiet]).run(table, 1)
    assert masked.steps[0].notes == ()
    assert masked.table["wages"].min() == 0


@pytest.mark.parametrize("method", [*METHODS, ammg.OutlierNoise, ammg.JointMixtureNoise])
def test_no_value_becomes_negative_by_default_where_none_was(method) -> None:
    masked = run(method(columns=["wages", "other"]))
    assert masked["wages"].min() >= 0
    assert masked["other"].min() < -1


def test_negative_values_can_be_allowed_and_are_where_some_were_or_a_rule_needs_the_sum() -> None:
    allowed = run(ammg.AdditiveNoise(columns=["wages"], below_zero="allow"))["wages"].to_numpy()
    assert allowed.min() < 0
    assert np.array_equal(run(ammg.AdditiveNoise(columns=["wages"]))["wages"].to_numpy(), np.abs(allowed))
    debts = DATA.with_columns(wages=pl.col("wages") - 1)
    free = run(ammg.AdditiveNoise(columns=["wages"], below_zero="allow"), debts)
    assert run(ammg.AdditiveNoise(columns=["wages"]), debts).equals(free)
    parts = ammg.Microdata(DATA.with_columns(all=pl.col("wages") + 10)).with_rules("all = wages + 10")
    masked = ammg.Pipeline([ammg.CorrelatedNoise(columns=["wages", "all"])]).run(parts, secret=1).table
    assert (masked["all"] - masked["wages"] - 10).abs().max() < 1e-9


def test_the_bound_at_zero_is_told_with_the_law() -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["wages", "other"])]).run(DATA, secret=1)
    assert masked.published[0].floors == ("wages",)
    assert any("and gets none" in note for note in masked.steps[0].notes)
