from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario

ANYBODY = Scenario()


def test_identical_files_disclose_everything(census_data):
    assert ammg.DeviationIntervalDisclosure().measure(Pair.identity(census_data), ANYBODY).value == 1


def test_rank_swapping_of_census_has_the_rate_of_the_prototype(census_data):
    """Spec targets: R5 33.3 % overall, 23.4 % of outliers."""
    masked = ammg.Pipeline([ammg.RankSwapping(p=5)]).run(census_data, secret="0" * 32)
    measured = ammg.DeviationIntervalDisclosure().measure(masked.pair, ANYBODY)
    assert measured.value == pytest.approx(0.333, abs=0.015)
    assert measured.facts["outlier_value"] == pytest.approx(0.234, abs=0.04)


def test_the_unit_can_be_either_deviation():
    original = pl.DataFrame({"x": [0.0, 10.0, 20.0]})
    masked = pl.DataFrame({"x": [0.6, 100.0, 200.0]})
    pair = Pair(ammg.Microdata(original), ammg.Microdata(masked), np.arange(3))
    assert ammg.DeviationIntervalDisclosure().measure(pair, ANYBODY).people.by_record[0] == 1
    own = ammg.DeviationIntervalDisclosure(deviation="original").measure(pair, ANYBODY)
    assert own.people.by_record[0] == pytest.approx(0.5)
