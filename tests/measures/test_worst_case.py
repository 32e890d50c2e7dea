from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg import registry
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.attack import Attack, Attempt

ANYBODY = Scenario()


def worst(pair, **settings):
    return ammg.WorstCase(**settings).measure(pair, ANYBODY)


def test_original_rows_under_a_shuffled_link_are_the_worst_case(census_data):
    shuffled = np.random.default_rng(0).permutation(1080)
    measured = worst(Pair(census_data, census_data, shuffled), most_pairs=1)
    assert measured.value == 1
    assert measured.details["attack"] == "intact_records"


def test_rank_swapping_falls_to_the_window_of_ranks(census_data):
    pair = ammg.Pipeline([ammg.RankSwapping(p=15)]).run(census_data, secret="0" * 32).pair
    measured = worst(pair)
    rates = measured.details["rates"]
    assert measured.details["attack"] == "rank_window_linkage"
    assert measured.value == max(rates.values()) == rates["rank_window_linkage"]
    assert measured.value > 0.97 > 0.5 > rates["distance_linkage"]
    assert measured.details["fell_to"]["rank_window_linkage"] > 1000
    assert "noise_law_linkage" in measured.details["not_applicable"]
    assert measured.charts[0].x[0] == "rank_window_linkage"


def test_records_keep_the_largest_chance_of_all_attacks(census_data):
    pair = ammg.Pipeline([ammg.CorrelatedNoise(d=0.2)]).run(census_data, secret="0" * 32).pair
    measured = worst(pair)
    assert measured.by_record.mean() >= measured.value
    assert measured.by_record.max() <= 1


@pytest.mark.parametrize(
    "step",
    [ammg.RankSwapping(p=15), ammg.CorrelatedNoise(d=0.1), ammg.UnivariateMicroaggregation(k=5), ammg.Mdav(k=3)],
    ids=lambda step: step.name,
)
def test_a_sample_of_people_tells_the_worst_case_of_all(census_data, step):
    pair = ammg.Pipeline([step]).run(census_data, secret="0" * 32).pair
    whole, sampled = worst(pair), worst(pair, most_pairs=1000, sample=300)
    alone = {label for label in whole.details["rates"] if "one_to_one" not in label}
    assert alone <= set(sampled.details["rates"])
    assert set(sampled.details["sample"].values()) == {300}
    assert sampled.interval[1] - sampled.interval[0] > whole.interval[1] - whole.interval[0]
    # links one to one are left out, which find a tenth more at most here
    assert -0.15 < sampled.value - whole.value < 0.06
    assert sampled.by_record.max() <= 1


def test_the_sample_is_drawn_by_id(census_data):
    pair = ammg.Pipeline([ammg.CorrelatedNoise(d=0.1)]).run(census_data, secret="0" * 32).pair
    turned = np.random.default_rng(0).permutation(1080)
    released = ammg.Microdata(pair.masked.table[turned.tolist()], pair.masked.schema)
    other = Pair(pair.original, released, pair.link[turned], pair.disclosed)
    settings = {"most_pairs": 1000, "sample": 200}
    assert worst(pair, **settings).details["rates"] == pytest.approx(worst(other, **settings).details["rates"])


def test_an_attack_of_a_plug_in_is_tried(census_data):
    class Clairvoyance(Attack):
        """Knows everything."""

        def attack(self, pair, search):
            return Attempt((search.origin >= 0).astype(float))

    try:
        pair = ammg.Pipeline([ammg.AdditiveNoise(p=4.0)]).run(census_data, secret="0" * 32).pair
        measured = worst(pair, most_pairs=1)
        assert (measured.details["attack"], measured.value) == ("clairvoyance", 1)
    finally:
        registry.forget("measures", "clairvoyance")


def test_without_a_common_attribute_there_is_no_worst_case(patients):
    other = ammg.Microdata(pl.DataFrame({"other": [1, 2]}))
    with pytest.raises(NotDefined, match="no known attribute"):
        worst(Pair(patients, other, np.array([0, 1])))
