from __future__ import annotations

import csv

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.disclosure import RankWindow
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

ANYBODY = Scenario()


@pytest.mark.parametrize("percent", [10, 15, 20])
def test_knowing_the_swap_range_undoes_rank_swapping_of_census(census_data, shared, percent):
    with (shared / "spec" / "targets" / "prototype_stronger_attacks_census.csv").open() as lines:
        row = next(r for r in csv.DictReader(lines) if r["masking"] == f"rnkswp{percent}")
    measured = [
        ammg.RankWindowLinkage().measure(
            ammg.Pipeline([ammg.RankSwapping(p=percent)]).run(census_data, secret=str(k) * 32).pair, ANYBODY
        )
        for k in range(3)
    ]
    for way, target in (("nearest_candidate", "reid_nearest"), ("one_to_one", "reid_1to1")):
        printed = float(row[target])
        rate = np.mean([one.details["rates"][way] for one in measured])
        assert rate == pytest.approx(printed, abs=0.05 if 0.3 <= printed <= 0.95 else 0.02)
    assert {one.details["holds_truth"] for one in measured} == {1.0}


def test_attributes_that_were_not_changed_must_agree():
    rng = np.random.default_rng(0)
    table = pl.DataFrame({"income": rng.normal(size=200), "id": np.arange(200) % 100})
    masked = ammg.Pipeline([ammg.RankSwapping(columns=["income"], p=50)]).run(ammg.Microdata(table), secret="0" * 32)
    assert ammg.RankWindowLinkage().measure(masked.pair, ANYBODY).details["candidates"] <= 2
    alone = ammg.RankWindowLinkage().measure(masked.pair, Scenario(known=("income",)))
    assert alone.details["candidates"] > 50


def test_the_truth_survives_sampling_after_swapping(census_data):
    pipeline = ammg.Pipeline([ammg.RankSwapping(p=10), ammg.Sampling(fraction=0.5)])
    measured = ammg.RankWindowLinkage().measure(pipeline.run(census_data, secret="0" * 32).pair, ANYBODY)
    assert measured.details["holds_truth"] > 0.95
    assert measured.details["records"] == 540


def test_without_a_published_range_it_is_not_defined(census_data):
    with pytest.raises(NotDefined, match="no swap range"):
        ammg.RankWindowLinkage().measure(Pair.identity(census_data), ANYBODY)


def test_too_many_pairs_are_refused(census_data):
    pair = Pair(census_data, census_data, np.arange(1080), (RankWindow(("AGI",), (5,)),))
    with pytest.raises(NotDefined, match="pairs of records"):
        ammg.RankWindowLinkage(most_pairs=1000).measure(pair, ANYBODY)
