from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError

KEYS = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def population():
    """Twenty thousand people whose second key depends on the first, the others on nothing."""
    rng = np.random.default_rng(12)
    n = 20_000
    a = rng.choice(12, n, p=np.arange(12, 0, -1) / 78)
    b = (a + rng.geometric(0.5, n)) % 12
    return pl.DataFrame(
        {"a": a, "b": b, "c": rng.geometric(0.3, n).clip(max=10), "d": rng.geometric(0.25, n).clip(max=12)}
    ).with_columns(pl.all().cast(pl.String))


@pytest.fixture(scope="module")
def sampled(population):
    chosen = np.sort(np.random.default_rng(4).permutation(population.height)[:1_000])
    original, masked = (ammg.Microdata(part).with_roles(key=KEYS) for part in (population, population[chosen.tolist()]))
    return Pair(original, masked, chosen)


def test_the_search_ends_near_the_truth(sampled):
    measured = ammg.LogLinearRisk().measure(sampled, Scenario())
    true, path = measured.details["truth"]["tau"], measured.details["path"]
    assert measured.details["fraction"] == 0.05
    assert "a * b" in measured.details["model"]
    assert path[0]["tau2"] > 1.15 * true
    assert abs(path[-1]["z2"]) < abs(path[0]["z2"])
    assert measured.details["tau2"] == pytest.approx(true, rel=0.25)
    assert measured.value == pytest.approx(measured.details["tau2"] / 1_000)
    assert measured.interval[0] < measured.value < measured.interval[1]
    assert np.sum(measured.details["truth"]["true_by_estimated"]) == measured.details["sample_uniques"]


def test_intervals_with_estimation_error_are_wider(sampled):
    details = ammg.LogLinearRisk(tau=1).measure(sampled, Scenario()).details
    for tau in (1, 2):
        low, high = details[f"interval{tau}"]["conditional"]
        wider_low, wider_high = details[f"interval{tau}"]["with_estimation"]
        assert wider_low < low < details[f"tau{tau}"] < high < wider_high


def test_a_model_given_by_hand_is_fitted_as_it_is(sampled):
    measured = ammg.LogLinearRisk(interactions=(("a", "b"), ("b", "c"))).measure(sampled, Scenario())
    assert measured.details["model"] == ["d", "a * b", "b * c"]
    assert len(measured.details["path"]) == 1


def test_equal_weights_are_a_sampling_fraction(identity, sampled):
    table = sampled.masked.table
    weighted = identity(table.with_columns(w=20.0), key=KEYS, weight=["w"])
    plain = identity(table, key=KEYS)
    by_weight = ammg.LogLinearRisk().measure(weighted, Scenario())
    by_fraction = ammg.LogLinearRisk().measure(plain, Scenario(inclusion=0.05))
    assert by_weight.value == pytest.approx(by_fraction.value, rel=1e-9)


def test_strata_join_the_key(identity, sampled):
    table = sampled.masked.table.with_columns(s=pl.Series(["n", "s"] * 500))
    measured = ammg.LogLinearRisk().measure(identity(table, key=KEYS, stratum=["s"]), Scenario(inclusion=0.05))
    assert measured.details["keys"] == [*KEYS, "s"]


def test_known_margins_move_the_model(sampled, population):
    known = {"a": dict(population["a"].value_counts().iter_rows())}
    doubled = {"a": {value: 2 * count for value, count in known["a"].items()}}
    near = ammg.LogLinearRisk(margins=known).measure(sampled, Scenario())
    larger = ammg.LogLinearRisk(margins=doubled).measure(sampled, Scenario())
    plain = ammg.LogLinearRisk().measure(sampled, Scenario())
    assert near.value == pytest.approx(plain.value, rel=0.1)
    assert larger.value < 0.8 * plain.value


def test_combinations_that_cannot_occur_get_no_people(sampled):
    shown = set(sampled.masked.table.select("a", "d").rows())
    a, d = next((str(a), str(d)) for a in range(12) for d in range(1, 13) if (str(a), str(d)) not in shown)
    measured = ammg.LogLinearRisk(impossible=({"a": a, "d": d},)).measure(sampled, Scenario())
    assert measured.details["converged"]
    assert measured.details["tau2"] != ammg.LogLinearRisk().measure(sampled, Scenario()).details["tau2"]


def test_impossible_combinations_that_occur_are_refused(sampled):
    a, b = sampled.masked.table.select("a", "b").row(0)
    with pytest.raises(InputError, match="declared impossible"):
        ammg.LogLinearRisk(impossible=({"a": a, "b": b},)).measure(sampled, Scenario())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interactions": (("a", "e"),)}, "'e' is not in the model's key"),
        ({"margins": {"a": {"99": 1.0}}}, "'a' has no category '99'"),
        ({"margins": {"a": {"1": 1.0}}}, "lack the category"),
    ],
)
def test_names_that_do_not_exist_are_refused(sampled, options, message):
    with pytest.raises(InputError, match=message):
        ammg.LogLinearRisk(**options).measure(sampled, Scenario())


def test_without_uniques_the_risk_is_zero_and_the_fit_undefined(identity):
    pair = identity({"a": [1, 1, 2, 2], "b": ["x", "x", "y", "y"]}, key=["a", "b"])
    measured = ammg.LogLinearRisk().measure(pair, Scenario(inclusion=0.1))
    assert measured.value == 0
    assert "no sample uniques" in measured.details["fit"]
    assert np.isnan(measured.details["path"][0]["z1"])


def test_a_table_that_is_too_large_is_refused_with_advice(identity):
    rng = np.random.default_rng(0)
    table = {f"k{i}": rng.permutation(1_000) for i in range(3)}
    with pytest.raises(InputError, match="recode the keys"):
        ammg.LogLinearRisk().measure(identity(table, key=list(table)), Scenario(inclusion=0.1))


def test_missing_values_are_one_more_category(identity):
    pair = identity({"a": ["x", "y", None, "x"], "b": [1, 2, 2, 1]}, key=["a", "b"])
    assert ammg.LogLinearRisk().measure(pair, Scenario(inclusion=0.5)).details["cells"] == 6
