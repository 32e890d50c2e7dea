"""Distributions before and after masking."""

import numpy as np
import polars as pl

import ammg
from ammg.data.pair import Pair
from ammg.report.distributions import distributions, most_changed
from ammg.report.evidence import Reader


def test_of_many_attributes_those_are_drawn_whose_shares_changed_most() -> None:
    half, all_ones = np.repeat([0, 1], 50), np.ones(100, dtype=int)
    original = ammg.Microdata(pl.DataFrame({"same": half, "moved": half, "a_little": half, "name": ["x"] * 100}))
    masked = original.table.with_columns(
        moved=pl.Series(all_ones), a_little=pl.Series(np.where(np.arange(100) == 0, 1, half))
    )
    found = distributions(Pair(original, ammg.Microdata(masked), np.arange(100)), Reader("internal"))
    assert [one.name for one in most_changed(found, 1)] == ["moved"]
    assert [one.name for one in most_changed(found, 2)] == ["moved", "a_little"]
    assert [one.name for one in most_changed(found, 9)] == ["same", "moved", "a_little"]
