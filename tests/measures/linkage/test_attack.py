"""What all attacks share: whom they seek, what they know, and how they count. Shown on distance linkage."""

from __future__ import annotations

import csv

import numpy as np
import polars as pl
import pytest

import ammg
from ammg import registry
from ammg.data.pair import Pair
from ammg.data.published import Groups, NoiseLaw, RankWindow
from ammg.data.scenario import Scenario
from ammg.errors import InputError, NotDefined
from ammg.measures.linkage.attack import Attack, best_of
from ammg.measures.population.record_risk import RecordRisk

ANYBODY = Scenario()


def pair_of(original, masked, link=None):
    before, after = (ammg.Microdata(pl.DataFrame(table)) for table in (original, masked))
    return Pair(before, after, np.arange(len(after)) if link is None else np.array(link))


def linked(pair, scenario=ANYBODY, **settings):
    return ammg.DistanceLinkage(**settings).measure(pair, scenario)


def test_a_rate_has_its_interval_and_stands_beside_that_of_outliers(census_data):
    measured = linked(Pair.identity(census_data))
    assert measured.value == 1
    assert measured.interval == pytest.approx((0.9964557, 1))
    assert (measured.facts["outliers"], measured.facts["outlier_value"]) == (54, 1)
    assert measured.facts["outlier_interval"] == pytest.approx((0.934, 1), abs=1e-3)


ATTACKS = [unit for unit in registry.units("measures").values() if issubclass(unit, RecordRisk)]
STEPS = {
    "group_linkage": ammg.UnivariateMicroaggregation(k=3),
    "group_sum_linkage": ammg.Mdav(k=4, noise="pooled"),
    "noise_law_linkage": ammg.CorrelatedNoise(d=0.1),
    "rounding_linkage": ammg.RandomRounding(base=20_000),
    "household_linkage": None,  # CENSUS has no households: see its test
    "swap_linkage": None,  # needs exchanged records: see its test
    "value_set_linkage": ammg.Mondrian(columns=["AGI", "FEDTAX", "TAXINC"], k=3),
    "transition_linkage": None,  # CENSUS has no categories: see its test
    "attribute_inference": None,  # CENSUS has nothing that is not known
    "replay_inference": None,
}


@pytest.mark.parametrize("unit", ATTACKS, ids=lambda unit: unit.__name__)
def test_every_risk_of_records_has_its_interval_and_that_of_outliers(census_data, unit):
    measure = unit()
    step = STEPS.get(measure.name, ammg.RankSwapping(p=10))
    if step is None:
        pytest.skip("does not apply to CENSUS")
    some = ammg.Microdata(census_data.table.head(300), census_data.schema)
    measured = measure.measure(ammg.Pipeline([step]).run(some, secret="0" * 32).pair, ANYBODY)
    assert measured.interval[0] <= measured.value <= measured.interval[1]
    assert measured.facts["outliers"] == 15
    low, high = measured.facts["outlier_interval"]
    assert low <= measured.facts["outlier_value"] <= high
    assert measured.people.by_record.shape == (300,)
    if ways := measured.tables.get("ways"):
        assert all(low <= rate <= high for low, rate, high in zip(ways["low"], ways["rate"], ways["high"], strict=True))


def test_the_json_of_an_evaluation_shows_intervals_and_outliers_but_no_single_records(census_data):
    pair = ammg.Pipeline([ammg.RankSwapping(p=10)]).run(census_data, secret="0" * 32).pair
    shown = ammg.evaluate(pair, ["distance_linkage", "rank_window_linkage"], before=False).to_dict()["measures"]
    for facts in shown.values():
        assert len(facts["interval"]) == 2
        assert len(facts["facts"]["outlier_interval"]) == 2
        assert "by_record" not in facts
    assert set(shown["rank_window_linkage"]["tables"]["ways"]["way"]["cells"]) == {
        "random_candidate",
        "nearest_candidate",
        "one_to_one",
        "most_probable_of_matchings",
    }


def test_simulated_records_stand_in_the_way_but_do_not_dilute():
    measured = linked(pair_of({"x": [0.0, 5.0]}, {"x": [0.1, 5.1, 2.0, 3.0]}, [0, 1, -1, -1]))
    assert measured.value == 1
    assert measured.people.by_record.tolist() == [1, 1, 0, 0]


def test_only_targets_count():
    pair = pair_of({"x": [0.0, 1.0, 5.0]}, {"x": [0.0, 0.4, 5.0]})
    assert linked(pair, Scenario(targets=(1,))).value == 0
    assert linked(pair, Scenario(targets=(0, 2))).value == 1
    with pytest.raises(InputError, match="Target 7 is not a record"):
        linked(pair, Scenario(targets=(7,)))


def test_people_who_were_dropped_cannot_be_found():
    pair = pair_of({"x": [0.0, 1.0]}, {"x": [0.0]}, [0])
    with pytest.raises(NotDefined, match="no masked record stands for a target"):
        linked(pair, Scenario(targets=(1,)))


def test_more_may_be_known_of_some():
    values = {"x": [1.0, 1.0, 1.0, 4.0], "y": [1.0, 2.0, 3.0, 4.0]}
    measured = linked(pair_of(values, values), Scenario(known=("x",), known_by_record={0: ("x", "y")}))
    assert measured.people.by_record.tolist() == pytest.approx([1, 1 / 3, 1 / 3, 1])
    with pytest.raises(InputError, match="Record 9 of known_by_record"):
        linked(pair_of(values, values), Scenario(known=("x",), known_by_record={9: ("y",)}))


def test_errors_of_measurement_protect(census_data):
    pair = Pair.identity(census_data)
    spread = float(census_data.block(["AGI"]).numbers("AGI").std())
    sure = linked(pair, Scenario(known=("AGI",)))
    unsure = linked(pair, Scenario(known=("AGI",), error={"AGI": spread}))
    assert unsure.value < 0.05 < sure.value
    assert unsure.value == linked(pair, Scenario(known=("AGI",), error={"AGI": spread})).value


def test_wrong_categories_protect():
    codes = np.random.default_rng(0).integers(0, 50, (200, 2))
    pair = pair_of(*({"a": codes[:, 0].astype(str), "b": codes[:, 1].astype(str)} for _ in range(2)))
    sure = linked(pair).value
    assert linked(pair, Scenario(error={"a": 0.5, "b": 0.5})).value < 0.6 * sure


def test_recoded_values_are_compared_on_the_recoded_scale():
    data = ammg.Microdata(pl.DataFrame({"age": [21, 25, 43, 47], "sex": ["m", "f", "m", "f"]}))
    masked = ammg.Pipeline([ammg.GlobalRecoding(columns=["age"], cuts=[40])]).run(data, secret="0" * 32)
    assert linked(masked.pair).value == 1


@pytest.mark.parametrize("percent", [5, 15])
def test_distance_linkage_of_swapped_census_has_the_rates_of_the_prototype(census_data, shared, percent):
    with (shared / "spec" / "targets" / "prototype_table2_reproduction.csv").open() as lines:
        row = next(r for r in csv.DictReader(lines) if r["method"] == f"rnkswp{percent:02d}")
    pairs = [ammg.Pipeline([ammg.RankSwapping(p=percent)]).run(census_data, secret=str(k) * 32).pair for k in range(3)]
    for one_to_one, target in ((False, "DLD_std_euclid"), (True, "DLD_1to1")):
        rate = np.mean([linked(pair, one_to_one=one_to_one).value for pair in pairs])
        assert rate == pytest.approx(float(row[target]), abs=0.03)


def test_second_nearest_is_reported():
    measured = linked(pair_of({"x": [0.0, 1.0, 5.0]}, {"x": [0.0, 0.4, 5.0]}))
    assert measured.value == pytest.approx(2 / 3)
    assert measured.facts["second_nearest"] == pytest.approx(1 / 3)


def test_one_to_one_links_use_each_person_once():
    pair = pair_of({"x": [0.0, 1.0, 5.0]}, {"x": [0.1, 0.4, 5.0]})
    assert linked(pair).value == pytest.approx(2 / 3)
    assert linked(pair, one_to_one=True).value == 1


def test_mahalanobis_distance_sees_through_correlated_noise(census_data):
    pair = ammg.Pipeline([ammg.CorrelatedNoise(d=0.1)]).run(census_data, secret="0" * 32).pair
    assert linked(pair).value < 0.6
    assert linked(pair, metric="mahalanobis").value == pytest.approx(0.83, abs=0.05)


@pytest.mark.parametrize("metric", ["euclid", "mahalanobis", "robust", "gower"])
def test_categories_and_missing_values_take_part(metric):
    values = {"colour": ["red", "blue", "red", "green"], "size": [1.0, 1.0, 7.0, None]}
    assert linked(pair_of(values, values), metric=metric).people.by_record.tolist() == [1, 1, 1, 1]


def test_knowing_less_finds_less(census_data):
    pair = ammg.Pipeline([ammg.RankSwapping(p=5)]).run(census_data, secret="0" * 32).pair
    rates = [linked(pair, subset=size).value for size in (1, 2)]
    assert rates[0] < rates[1] < linked(pair).value
    known = Scenario(known=("AGI", "FEDTAX"))
    assert linked(pair, known, subset=2).value == linked(pair, known).value
    with pytest.raises(NotDefined, match="no subset of 3"):
        linked(pair, known, subset=3)


def test_files_without_common_fields_are_not_defined():
    with pytest.raises(NotDefined, match="no known attribute"):
        linked(pair_of({"x": [1.0]}, {"y": [1.0]}))
    with pytest.raises(NotDefined, match="do not vary"):
        linked(pair_of({"x": [1.0, 1.0]}, {"x": [1.0, 1.0]}))


TOLD = (RankWindow(("x",), (3,)), NoiseLaw(("x",), np.eye(1), 1.0), Groups(("x",), 2, joint=False))
LINKAGES = [name for name, unit in registry.units("measures").items() if issubclass(unit, Attack)]
X, NOTHING = np.arange(30.0), pl.Series([None] * 30, dtype=pl.Float64)


def answer(name, before, after, scenario=ANYBODY):
    original, masked = (ammg.Microdata(pl.DataFrame(table)) for table in (before, after))
    return ammg.evaluate(Pair(original, masked, np.arange(30), TOLD), [name], scenario, before=False)[name]


@pytest.mark.parametrize("name", [*LINKAGES, "worst_case"])
def test_files_without_a_common_field_have_no_links_and_the_reason_is_said(name):
    told = answer(name, {"x": X}, {"y": X})
    assert told.value is None
    assert told.reason == "no known attribute is in the masked file"


@pytest.mark.parametrize("name", [*LINKAGES, "worst_case"])
def test_of_fields_that_are_missing_for_everybody_nothing_is_known(name):
    told = answer(name, {"x": NOTHING}, {"x": X})
    assert told.value is None
    assert told.reason == "nothing is known about anybody: every value of x is missing"


@pytest.mark.parametrize("name", [name for name in LINKAGES if name != "transition_linkage"])
def test_a_release_without_values_leaves_chance(name):
    assert (answer(name, {"x": X}, {"x": NOTHING}).value or 0) <= 2 / 30  # the better of two guesses


@pytest.mark.parametrize("name", [*LINKAGES, "worst_case", "target_unit"])
def test_more_targets_than_records_and_none_are_refused(name):
    with pytest.raises(InputError, match=r"Target 30 is not a record: ids run from 0 to 29\.$"):
        answer(name, {"x": X}, {"x": X}, Scenario(targets=tuple(range(31))))
    told = answer(name, {"x": X}, {"x": X}, Scenario(targets=()))
    assert told.value is None
    assert "target" in told.reason


def test_ways_that_find_other_halves_of_the_people_are_worth_the_better_of_them():
    """Judged by the other half alone, each half would be sought in the way that does not find it."""
    first = np.tile([1.0, 0.0], 50)
    found = best_of({"first": first, "second": 1 - first}, np.ones(100, dtype=bool), {})
    assert found.credit.mean() == 0.5


def test_a_way_that_is_best_by_chance_stays_at_chance():
    rng = np.random.default_rng(3)
    everybody = np.ones(60, dtype=bool)
    tries = [{str(way): (rng.random(60) < 1 / 60).astype(float) for way in range(4)} for _ in range(400)]
    found = np.array([best_of(ways, everybody, {}).credit.mean() for ways in tries])
    assert abs(found.mean() - 1 / 60) < 3 * found.std() / 20
    assert np.mean([max(credit.mean() for credit in ways.values()) for ways in tries]) > 2 / 60


@pytest.mark.parametrize("name", ["group_linkage", "noise_law_linkage", "rank_window_linkage", "rounding_linkage"])
def test_what_is_found_with_the_description_is_at_least_what_is_found_without(census_data, name):
    """On CENSUS under the step that the attack knows, and under another that it is told as well."""
    attack = registry.find("measures", name)()
    some = ammg.Microdata(census_data.table.head(150), census_data.schema)
    for other in ([], [ammg.AdditiveNoise(p=0.5)]):
        pair = ammg.Pipeline([STEPS.get(name, ammg.RankSwapping(p=10)), *other]).run(some, secret="0" * 32).pair
        try:
            without = attack.measure(pair.undescribed(), ANYBODY).value
        except NotDefined:
            without = 0.0
        told = attack.measure(pair, ANYBODY)
        assert told.value >= without
        assert told.value >= max(told.tables["ways"]["rate"]) - 0.05  # each half is sought in the other half's best way


@pytest.mark.parametrize("name", ["group_linkage", "household_linkage", "noise_law_linkage", "swap_linkage"])
def test_no_record_is_put_in_order_for_an_attack_that_has_nothing_to_use(name, monkeypatch):
    def refuse(*files):
        raise AssertionError("the files were put in order")

    monkeypatch.setattr("ammg.kernels.linkage.value_order.order_values", refuse)
    files = Pair.identity(ammg.Microdata(pl.DataFrame({"x": [1.0, 2.0, 3.0]})))
    with pytest.raises(NotDefined, match=r"published|lives together"):
        registry.find("measures", name)().measure(files, ANYBODY)
    with pytest.raises(AssertionError, match="put in order"):
        ammg.DistanceLinkage(one_to_one=True).measure(files, ANYBODY)


ATTACKS = [name for name, unit in registry.units("measures").items() if issubclass(unit, Attack)]


@pytest.mark.parametrize("name", [name for name in ATTACKS if name != "intact_records"])
def test_an_attack_that_is_ruled_out_by_what_is_published_does_not_read_the_files(name, monkeypatch):
    def refuse(*whatever):
        raise AssertionError("the files were read")

    attack = registry.find("measures", name)()
    pair = Pair.identity(ammg.Microdata(pl.DataFrame({"x": [1.0, 2.0, 3.0]})))
    monkeypatch.setattr("ammg.measures.linkage.intruder.knowledge", refuse)
    reads = name not in {"household_linkage", "replay_linkage"} and attack.works_on is None
    with pytest.raises(AssertionError if reads else NotDefined):
        attack.measure(pair, ANYBODY)


@pytest.mark.parametrize("name", ["distance_linkage", "probabilistic_linkage", "worst_case"])
def test_attacks_in_threads_find_what_they_find_one_after_the_other(name, monkeypatch, census_data):
    steps = [ammg.AdditiveNoise(p=0.1), ammg.RankSwapping(columns=census_data.schema.names[:2], p=60)]
    pair = ammg.Pipeline(steps).run(census_data, secret="0" * 32).pair
    unit = registry.find("measures", name)()
    monkeypatch.setattr("ammg.kernels.threads.WORTH_A_THREAD", 0)
    found = []
    for processors in (1, 2):
        monkeypatch.setattr("ammg.kernels.threads.processors", lambda count=processors: count)
        found.append(unit.measure(Pair(pair.original, pair.masked, pair.link, pair.published), ANYBODY))
    assert found[0].to_dict() == found[1].to_dict()
    assert np.array_equal(found[0].people.by_record, found[1].people.by_record)
