from __future__ import annotations

import numpy as np
import polars as pl

import ammg


def test_ranks_move_less_than_p_percent_and_nobody_trades_places():
    data = ammg.Microdata(pl.DataFrame({"x": np.arange(1000.0)}))
    masked = ammg.Pipeline([ammg.BoundedRankPermutation(p=10)]).run(data, secret=1).table["x"].to_numpy()
    source = masked.astype(int)
    assert np.abs(source - np.arange(1000)).max() == 99
    assert (np.sort(source) == np.arange(1000)).all()
    assert (source[source] == np.arange(1000)).mean() < 0.03


def test_every_column_keeps_its_values(census_data):
    table = ammg.Pipeline([ammg.BoundedRankPermutation(p=15)]).run(census_data, secret=1).table
    assert all((table[name].sort() == census_data.table[name].sort()).all() for name in table.columns)
