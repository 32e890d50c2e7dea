from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.published import Published
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.linkage import replays
from ammg.measures.linkage.replays import FEW, MANY, SECRET
from ammg.methods.method import Method, Plan
from ammg.summaries.moments import Moments

ANYBODY = Scenario()


@pytest.fixture(scope="module")
def some(census_data):
    return ammg.Microdata(census_data.table[:400], census_data.schema)


def replayed(pair, scenario=ANYBODY, **settings):
    return ammg.ReplayLinkage(**settings).measure(pair, scenario)


def shuffled(pair, seed=0):
    """The same pair with both files in other orders."""
    rng = np.random.default_rng(seed)
    people, records = rng.permutation(pair.n), rng.permutation(pair.t)
    place = np.argsort(people)
    return Pair(
        ammg.Microdata(pair.original.table[people.tolist()], pair.original.schema),
        ammg.Microdata(pair.masked.table[records.tolist()], pair.masked.schema),
        place[pair.link[records]],
        pair.published,
        again=pair.again,
    )


@pytest.mark.parametrize(("step", "least"), [(ammg.Jpeg(order="principal", quality=20), 0.95), (ammg.Mdav(k=4), 0.25)])
def test_a_recipe_without_chance_is_repeated_exactly(some, step, least):
    measured = replayed(ammg.Pipeline([step]).run(some, secret=1).pair)
    assert measured.facts["law"] == "exact"
    assert measured.value >= least - 1e-9


def test_groups_of_k_are_found_with_chance_one_in_k(some):
    assert replayed(ammg.Pipeline([ammg.Mdav(k=4)]).run(some, secret=1).pair).value == pytest.approx(0.25)


def test_noise_of_each_group_is_learned_where_the_mean_variance_finds_half(some):
    pair = ammg.Pipeline([ammg.PercentileNoise(delta=1, groups=5)]).run(some, secret=1).pair
    by_mean = ammg.NoiseLawLinkage().measure(pair, ANYBODY).value
    assert replayed(pair).value > max(0.9, by_mean + 0.2)


def test_a_plug_in_that_nobody_knows_is_replayed(some):
    class Mirror(Method):
        """Mirror values at their mean and add a little."""

        def plan(self, source, draws):
            names = self.chosen(source.schema)
            mean = dict(zip(names, source.fold(Moments(names)).mean.tolist(), strict=True))
            return Plan(source.schema.select(names), mean, (Published(names),))

        def mask(self, block, plan, draws):
            return block.with_columns(
                {
                    name: np.round(2 * mean - block.numbers(name) + 500 * draws.normal(block.ids, name))
                    for name, mean in plan.state.items()
                }
            )

    try:
        pair = ammg.Pipeline([Mirror()]).run(some, secret=1).pair
        assert replayed(pair).value > 0.95 > 0.1 > ammg.DistanceLinkage().measure(pair, ANYBODY).value
    finally:
        ammg.registry.forget("methods", "mirror")


def test_composed_steps_are_replayed_together(some):
    pair = ammg.Pipeline([ammg.Mdav(k=3), ammg.AdditiveNoise(p=0.02)]).run(some, secret=1).pair
    assert replayed(pair).value > 0.8 / 3


def test_the_order_of_the_files_tells_nothing(some):
    for step in (ammg.Jpeg(order="file", quality=10), ammg.AdditiveNoise(p=1.0)):
        pair = ammg.Pipeline([step]).run(some, secret=1).pair
        first, second = replayed(pair), replayed(shuffled(pair))
        assert first.value == pytest.approx(second.value, abs=1e-9)


def test_a_recipe_that_depends_on_the_order_of_the_file_is_replayed_in_many_orders(some):
    pair = shuffled(ammg.Pipeline([ammg.Jpeg(order="file", quality=30)]).run(some, secret=1).pair)
    measured = replayed(pair)
    rates = measured.tables["ways"].lookup("way", "rate")
    assert measured.facts["replays"] > 2
    assert measured.value > rates["in_one_order_nearest"] + 0.05


def test_so_is_one_that_adds_noise_as_well(some):
    steps = [ammg.Jpeg(order="file", quality=90), ammg.AdditiveNoise(p=0.01)]
    pair = shuffled(ammg.Pipeline(steps).run(some, secret=1).pair)
    assert replayed(pair).value > 0.9 * replayed(shuffled(ammg.Pipeline(steps[:1]).run(some, secret=1).pair)).value


@pytest.mark.parametrize("step", [ammg.PercentileNoise(delta=1, groups=5), ammg.Jpeg(order="principal")])
def test_another_truth_changes_no_link_but_their_score(some, step):
    pair = ammg.Pipeline([step]).run(some, secret=1).pair
    other = np.random.default_rng(1).permutation(pair.n)
    wrong = Pair(pair.original, pair.masked, other, pair.published, again=pair.again)
    assert replayed(pair).value > 0.9
    assert replayed(wrong).value < 0.02


def test_independent_files_give_chance(some):
    pair = ammg.Pipeline([ammg.AdditiveNoise(p=0.5)]).run(some, secret=1).pair
    rng = np.random.default_rng(2)
    columns = {name: rng.permutation(pair.masked.table[name].to_numpy()) for name in pair.masked.columns}
    chance = Pair(
        pair.original,
        ammg.Microdata(pl.DataFrame(columns), pair.masked.schema),
        pair.link,
        pair.published,
        again=pair.again,
    )
    assert replayed(chance).value < 0.02


def test_categories_are_learned_too(survey):
    pair = ammg.Pipeline([ammg.AdditiveNoise(columns=("age",), p=0.01)]).run(survey, secret=1).pair
    assert replayed(pair).value > ammg.DistanceLinkage().measure(pair, ANYBODY).value - 0.02


def test_a_step_on_columns_that_the_intruder_lacks_is_replayed_on_the_others(some):
    pair = ammg.Pipeline([ammg.Jpeg(order="principal", quality=90)]).run(some, secret=1).pair
    assert replayed(pair, Scenario(known=("AGI", "FEDTAX", "FICA"))).value > 0.01


def test_measured_numbers_are_replayed_as_measured(some):
    pair = ammg.Pipeline([ammg.Jpeg(order="principal", quality=20)]).run(some, secret=1).pair
    blurred = {name: 0.5 * float(some.table[name].std()) for name in some.columns}
    assert replayed(pair, Scenario(error=blurred)).value < 0.6 * replayed(pair).value


def test_few_people_are_sought_by_sample(some):
    pair = ammg.Pipeline([ammg.PercentileNoise(delta=1, groups=5)]).run(some, secret=1).pair
    measured = replayed(pair, most_pairs=1000, sample=100)
    assert measured.facts["sample"] == 100
    assert measured.value > 0.8


def test_without_a_recipe_there_is_nothing_to_replay(some):
    pair = ammg.Pipeline([ammg.Mdav(k=3)]).run(some, secret=1).pair
    with pytest.raises(NotDefined, match="no published method could be replayed"):
        replayed(Pair(pair.original, pair.masked, pair.link, pair.published))


def test_the_surest_links_are_better_than_the_others(some):
    pair = ammg.Pipeline([ammg.AdditiveNoise(p=0.7)]).run(some, secret=1).pair
    measured = replayed(pair)
    assert measured.facts["surest_value"] > measured.value + 0.1


def test_what_an_attack_leaves_out_is_not_replayed_again(some):
    pair = ammg.Pipeline([ammg.BoundedRankPermutation(p=10)]).run(some, secret=1).pair
    runs = []

    def counted(table, secret):
        runs.append(tuple(table.columns))
        return pair.again(table, secret)

    replayed(Pair(pair.original, pair.masked, pair.link, pair.published, again=counted))
    assert len(runs) > 2
    assert set(map(frozenset, runs)) == {frozenset(some.columns)}


def few_people(seed, n):
    rng = np.random.default_rng(seed)
    table = {"age": rng.integers(20, 70, n), "edu": rng.integers(1, 6, n), "region": rng.choice(list("abcd"), n)}
    table["pay"] = rng.lognormal(10, 0.5, n).round()
    data = ammg.Microdata(pl.DataFrame(table)).with_kinds(nominal=["region"])
    return data.with_roles(key=["age", "edu", "region"], confidential=["pay"])


def counted(pair):
    """The same pair, and a list of the replays that are made of it."""
    calls = []

    def again(table, secret):
        calls.append(secret)
        return pair.again(table, secret)

    return Pair(pair.original, pair.masked, pair.link, pair.published, again=again), calls


@pytest.mark.parametrize(("seed", "n", "exact"), [(10, 20, 0.2033), (6, 30, 0.2389)])
def test_two_draws_that_are_equal_by_luck_do_not_end_the_replays(seed, n, exact):
    step = ammg.LocalRecoding(columns=["age", "edu", "region"], k=3)
    pair = ammg.Pipeline([step]).run(few_people(seed, n), secret=seed).pair
    first, second = (pair.again(pair.original, SECRET + number).masked.table for number in (0, 1))
    assert first.equals(second) and not first.equals(pair.masked.table)
    measured = replayed(pair)
    assert measured.facts["replays"] == MANY
    assert measured.value > exact + 0.02  # of an intruder who takes the two draws for the release


def test_a_recipe_that_asks_for_no_random_numbers_is_run_twice_and_in_one_other_order(some):
    pair, calls = counted(ammg.Pipeline([ammg.Mdav(k=4)]).run(some, secret=1).pair)
    assert replayed(pair).facts["replays"] == 2
    assert len(calls) == 3


def test_equal_draws_of_a_large_file_are_few(monkeypatch):
    monkeypatch.setattr(replays, "EQUAL", 100)  # cells, so that 20 people are a large file
    step = ammg.LocalRecoding(columns=["age", "edu", "region"], k=3)
    pair, calls = counted(ammg.Pipeline([step]).run(few_people(0, 20), secret=0).pair)
    assert replayed(pair).facts["law"] == "exact"
    assert len(calls) == FEW + 1
