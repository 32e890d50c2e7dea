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
    true, path = measured.facts["true_tau"], measured.tables["path"]
    assert measured.facts["fraction"] == 0.05
    assert "a * b" in measured.facts["model"]
    assert path["tau2"][0] > 1.15 * true
    assert abs(path["z2"][-1]) < abs(path["z2"][0])
    assert measured.facts["tau2"] == pytest.approx(true, rel=0.25)
    assert measured.value == pytest.approx(measured.facts["tau2"] / 1_000)
    assert measured.interval[0] < measured.value < measured.interval[1]
    bands, *crossed = measured.tables["true_by_estimated"].columns.values()
    assert len(bands.cells) == len(crossed) == 3
    assert sum(sum(column.cells) for column in crossed) == measured.facts["sample_uniques"]


def test_intervals_with_estimation_error_are_wider(sampled):
    measured = ammg.LogLinearRisk(tau=1).measure(sampled, Scenario())
    table = measured.tables["uncertainty"]
    ends = (table[name] for name in ("low_with_estimation", "low", "high", "high_with_estimation"))
    for tau, wider_low, low, high, wider_high in zip(table["tau"], *ends, strict=True):
        assert wider_low < low < measured.facts[f"tau{tau}"] < high < wider_high


def test_a_model_given_by_hand_is_fitted_as_it_is(sampled):
    measured = ammg.LogLinearRisk(interactions=(("a", "b"), ("b", "c"))).measure(sampled, Scenario())
    assert measured.facts["model"] == ("d", "a * b", "b * c")
    assert len(measured.tables["path"]) == 1


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
    assert measured.facts["keys"] == (*KEYS, "s")


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
    assert measured.facts["converged"]
    assert measured.facts["tau2"] != ammg.LogLinearRisk().measure(sampled, Scenario()).facts["tau2"]


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
    assert "no sample uniques" in measured.facts["fit"]
    assert measured.tables["path"]["z1"] == (None,)


def test_a_table_that_is_too_large_is_refused_with_advice(identity):
    rng = np.random.default_rng(0)
    table = {f"k{i}": rng.permutation(1_000) for i in range(3)}
    with pytest.raises(InputError, match="recode the keys"):
        ammg.LogLinearRisk().measure(identity(table, key=list(table)), Scenario(inclusion=0.1))


def test_missing_values_are_one_more_category(identity):
    pair = identity({"a": ["x", "y", None, "x"], "b": [1, 2, 2, 1]}, key=["a", "b"])
    assert ammg.LogLinearRisk().measure(pair, Scenario(inclusion=0.5)).facts["cells"] == 6


def latent_classes(seed: int) -> Pair:
    """A sample of 3,000 from 60,000 people of six kinds, whose keys are independent within each kind and nowhere else.

    No interaction of two keys describes them, so every model of the search is wrong.
    """
    rng = np.random.default_rng(seed)
    kind = rng.choice(6, 60_000, p=rng.dirichlet(np.full(6, 3.0)))
    columns = {}
    for name, size in zip("abcdef", (10, 8, 6, 5, 4, 3), strict=True):
        law = rng.dirichlet(np.full(size, 0.6), 6).cumsum(axis=1)
        columns[name] = (rng.random(60_000)[:, None] > law[kind, :-1]).sum(axis=1)
    people = pl.DataFrame(columns).cast(pl.String)
    chosen = np.sort(np.random.default_rng(1_000 + seed).choice(60_000, 3_000, replace=False))
    original, masked = (ammg.Microdata(part).with_roles(key=list("abcdef")) for part in (people, people[chosen]))
    return Pair(original, masked, chosen)


def judged(seeds: range) -> tuple[list[bool], list[bool], list[bool]]:
    """For each population: whether the model is said to be wrong, and whether the old and the new interval hold."""
    flagged, narrow, wide = [], [], []
    for seed in seeds:
        measured = ammg.LogLinearRisk().measure(latent_classes(seed), Scenario())
        true = measured.facts["true_tau"]
        uncertainty = measured.tables["uncertainty"]
        low, high = uncertainty["low_with_estimation"][1], uncertainty["high_with_estimation"][1]
        flagged.append(not measured.facts["trusted"])
        narrow.append(low <= true <= high)
        wide.append(measured.interval[0] <= true / 3_000 <= measured.interval[1])
    return flagged, narrow, wide


def test_a_model_that_the_test_rejects_is_not_trusted_and_its_interval_is_widened():
    measured = ammg.LogLinearRisk().measure(latent_classes(0), Scenario())
    true = measured.facts["true_tau"]
    assert 1.05 * true < measured.facts["tau2"] < 1.2 * true  # the truth is known: the risk is over-stated
    assert measured.facts["trusted"] is False
    assert measured.facts["fit"].startswith("rejected: z = 8.60, so the risk is probably over-stated")
    assert measured.tables["uncertainty"]["low_with_estimation"][1] > true
    assert measured.interval[0] <= true / 3_000 < measured.value < measured.interval[1]
    assert "lowers BIC" in measured.facts["search_ended"]
    path = list(measured.tables["path"]["bic"])
    assert path == sorted(path, reverse=True)


@pytest.mark.proof
def test_widened_intervals_hold_in_populations_of_latent_classes():
    flagged, narrow, wide = judged(range(12))
    assert all(flagged)
    assert sum(narrow) <= 1
    assert all(wide)


def test_a_model_that_fits_is_trusted_and_its_interval_is_as_it_was(sampled):
    measured = ammg.LogLinearRisk(stop=2).measure(sampled, Scenario())
    assert measured.facts["trusted"] is True
    assert measured.facts["fit"].startswith("accepted")
    assert measured.facts["search_ended"] == "|z| of τ2 is below 2"
    assert measured.interval == tuple(
        measured.tables["uncertainty"][end][1] / 1_000 for end in ("low_with_estimation", "high_with_estimation")
    )
