from __future__ import annotations

from threading import Lock

import numpy as np
import polars as pl
import pytest

import ammg
from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.linkage.attack import Attack, Attempt
from ammg.progress import reporting

ANYBODY = Scenario()


def worst(pair, **settings):
    return ammg.WorstCase(**settings).measure(pair, ANYBODY)


def first(data, records):
    """The first records: fewer of them show the same sooner."""
    return ammg.Microdata(data.table[:records], data.schema)


def rates_of(measured):
    return measured.tables["attacks"].lookup("attack", "rate")


def test_original_rows_under_a_shuffled_link_are_the_worst_case(census_data):
    shuffled = np.random.default_rng(0).permutation(1080)
    measured = worst(Pair(census_data, census_data, shuffled), most_pairs=1)
    assert measured.value == 1
    assert measured.facts["attack"] == "intact_records"


def test_rank_swapping_falls_to_partners_and_to_the_window_of_ranks(census_data):
    pair = ammg.Pipeline([ammg.RankSwapping(p=15)]).run(census_data, secret="0" * 32).pair
    measured = worst(pair)
    rates = rates_of(measured)
    assert measured.facts["attack"] == "swap_partner_linkage"
    assert measured.value == max(rates.values()) == rates["swap_partner_linkage"] == 1
    assert rates["rank_window_linkage"] > 0.97 > 0.5 > rates["distance_linkage"]
    assert measured.tables["attacks"].lookup("attack", "fell_to")["swap_partner_linkage"] > 1000
    assert "noise_law_linkage" in measured.tables["not_applicable"]["attack"]
    assert measured.charts[0].x[0] == "swap_partner_linkage"


def test_records_keep_the_largest_chance_of_all_attacks(census_data):
    pair = ammg.Pipeline([ammg.CorrelatedNoise(d=0.2)]).run(first(census_data, 300), secret="0" * 32).pair
    measured = worst(pair)
    assert measured.people.by_record.mean() >= measured.value
    assert measured.people.by_record.max() <= 1


@pytest.mark.parametrize(
    "step",
    [ammg.RankSwapping(p=15), ammg.CorrelatedNoise(d=0.1), ammg.UnivariateMicroaggregation(k=5), ammg.Mdav(k=3)],
    ids=lambda step: step.name,
)
def test_a_sample_of_people_tells_the_worst_case_of_all(census_data, step):
    pair = ammg.Pipeline([step]).run(first(census_data, 500), secret="0" * 32).pair
    whole, sampled = worst(pair), worst(pair, most_pairs=1000, sample=200)
    alone = {label for label in rates_of(whole) if "one_to_one" not in label} - {"swap_partner_linkage"}
    assert alone <= set(rates_of(sampled))
    assert set(sampled.tables["attacks"]["sample"]) - {None} == {200}
    assert sampled.interval[1] - sampled.interval[0] > whole.interval[1] - whole.interval[0]
    # links one to one are left out, which find a tenth more at most here
    assert -0.15 < sampled.value - whole.value < 0.06
    assert sampled.people.by_record.max() <= 1


def test_the_sample_is_drawn_by_id(census_data):
    pair = ammg.Pipeline([ammg.CorrelatedNoise(d=0.1)]).run(first(census_data, 300), secret="0" * 32).pair
    turned = np.random.default_rng(0).permutation(300)
    released = ammg.Microdata(pair.masked.table[turned.tolist()], pair.masked.schema)
    other = Pair(pair.original, released, pair.link[turned], pair.published, again=pair.again)
    settings = {"most_pairs": 1000, "sample": 100}
    assert rates_of(worst(pair, **settings)) == pytest.approx(rates_of(worst(other, **settings)))


def test_a_cheap_attack_above_the_limit_is_proof_enough(census_data):
    pair = ammg.Pipeline([ammg.AdditiveNoise(p=0.01)]).run(census_data, secret="0" * 32).pair
    measured = worst(pair, limit=0.5)
    assert measured.value > 0.5
    assert measured.tables["attacks"].lookup("attack", "cost")[measured.facts["stopped_by"]] == "search"
    left = measured.tables["not_applicable"].lookup("attack", "reason")
    assert "has broken the limit" in left["replay_linkage"]


def test_a_limit_that_holds_takes_every_attack(census_data):
    pair = ammg.Pipeline([ammg.AdditiveNoise(p=3.0)]).run(first(census_data, 150), secret="0" * 32).pair
    measured = worst(pair, limit=0.9)
    assert "stopped_by" not in measured.facts
    assert rates_of(measured) == rates_of(worst(pair))


def test_each_attack_tells_how_many_are_found_among_the_surest(census_data):
    pair = ammg.Pipeline([ammg.AdditiveNoise(p=0.6)]).run(first(census_data, 300), secret="0" * 32).pair
    measured = worst(pair)
    surest = measured.tables["attacks"].lookup("attack", "surest")
    assert {label for label, found in surest.items() if found is None} == {"intact_records"}
    assert surest[measured.facts["attack"]] > measured.value


def test_attacks_that_hold_numbers_of_many_pairs_run_one_at_a_time(census_data, monkeypatch):
    monkeypatch.setattr("ammg.kernels.threads.WORTH_A_THREAD", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    running, most, counting, measure = [], {}, Lock(), Attack.measure

    def watched(self, pair, scenario):
        with counting:
            running.append(self)
            holding = sum(attack.holds_pairs(pair) for attack in running)
            most["any"], most["holding"] = max(most.get("any", 0), len(running)), max(most.get("holding", 0), holding)
        try:
            return measure(self, pair, scenario)
        finally:
            with counting:
                running.remove(self)

    pair = ammg.Pipeline([ammg.RankSwapping(p=15)]).run(first(census_data, 300), secret="0" * 32).pair
    monkeypatch.setattr(Attack, "measure", watched)
    names = set()
    with reporting(lambda done, total, name: names.add(name)):
        large = worst(pair, most_pairs=1e4, sample=100)
    assert most == {"any": 2, "holding": 1}
    assert "rank_window_linkage" in names
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    assert large.to_dict() == worst(pair, most_pairs=1e4, sample=100).to_dict()


def test_an_attack_of_a_plug_in_is_tried(census_data):
    class Clairvoyance(Attack):
        """Knows everything."""

        def attack(self, pair, search):
            return Attempt((search.origin >= 0).astype(float))

    try:
        pair = ammg.Pipeline([ammg.AdditiveNoise(p=4.0)]).run(first(census_data, 100), secret="0" * 32).pair
        measured = worst(pair, most_pairs=1)
        assert (measured.facts["attack"], measured.value) == ("clairvoyance", 1)
    finally:
        registry.forget("measures", "clairvoyance")


def test_without_a_common_attribute_there_is_no_worst_case(patients):
    other = ammg.Microdata(pl.DataFrame({"other": [1, 2]}))
    with pytest.raises(NotDefined, match="no known attribute"):
        worst(Pair(patients, other, np.array([0, 1])))
