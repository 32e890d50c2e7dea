from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

ANYBODY = Scenario()


def test_identical_files_disclose_everything(census_data):
    measured = ammg.RankIntervalDisclosure().measure(Pair.identity(census_data), ANYBODY)
    assert measured.value == 1
    assert set(measured.by_column.values()) == {1.0}


def test_rank_swapping_of_census_has_the_rate_of_the_prototype(census_data):
    """Spec targets: R5 79.9 % overall, 81.6 % of outliers."""
    masked = ammg.Pipeline([ammg.RankSwapping(p=5)]).run(census_data, secret="0" * 32)
    measured = ammg.RankIntervalDisclosure().measure(masked.pair, ANYBODY)
    assert measured.value == pytest.approx(0.799, abs=0.015)
    assert measured.facts["outlier_value"] == pytest.approx(0.816, abs=0.04)


def test_widths_can_be_chosen():
    original = pl.DataFrame({"x": np.arange(100.0)})
    masked = pl.DataFrame({"x": np.arange(100.0) + 4.0})
    pair = Pair(ammg.Microdata(original), ammg.Microdata(masked), np.arange(100))
    narrow, wide = (ammg.RankIntervalDisclosure(percent_widths=(p,)).measure(pair, ANYBODY) for p in (3.0, 5.0))
    assert narrow.value < 0.1
    assert wide.value > 0.9
    assert ammg.RankIntervalDisclosure(percent_widths=(5.0,), width="full").measure(pair, ANYBODY).value < 0.1


def test_suppressed_cells_are_left_out_and_simulated_records_do_not_count():
    original = pl.DataFrame({"x": [1.0, 2.0, 3.0], "y": [1.0, 2.0, 3.0]})
    masked = pl.DataFrame({"x": [1.0, None, 3.0, 9.0], "y": [1.0, 2.0, 3.0, 9.0]})
    pair = Pair(ammg.Microdata(original), ammg.Microdata(masked), np.array([0, 1, 2, -1]))
    measured = ammg.RankIntervalDisclosure().measure(pair, ANYBODY)
    assert measured.value == 1
    assert measured.facts["records"] == 3
    assert measured.facts["cells"] == 5


def test_without_numbers_it_is_not_defined():
    words = ammg.Microdata(pl.DataFrame({"a": ["x", "y"]}))
    with pytest.raises(NotDefined, match="no numeric attribute"):
        ammg.RankIntervalDisclosure().measure(Pair.identity(words), ANYBODY)


def test_without_widths_there_is_nothing_to_average(patients):
    with pytest.raises(NotDefined):
        ammg.RankIntervalDisclosure(percent_widths=()).measure(Pair.identity(patients), ANYBODY)
