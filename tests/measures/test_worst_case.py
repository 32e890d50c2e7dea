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


def test_attacks_on_all_pairs_are_left_out_when_there_are_too_many(census_data):
    skipped = worst(Pair.identity(census_data), most_pairs=1000).details["not_applicable"]
    assert "pairs of records" in skipped["probabilistic_linkage"]


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
