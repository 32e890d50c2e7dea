from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError


def people(n=4000, seed=0):
    rng = np.random.default_rng(seed)
    table = pl.DataFrame(
        {
            "town": rng.integers(0, 12, n).astype(str),
            "street": rng.integers(0, 30, n).astype(str),
            "sex": rng.choice(["f", "m"], n),
            "age": rng.integers(20, 30, n),
            "job": rng.choice(list("abcdefghij"), n, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.05, 0.03, 0.01, 0.005, 0.005]),
        }
    )
    return ammg.Microdata(table).with_kinds(nominal=["town", "street"]).with_roles(key=table.columns)


@pytest.mark.parametrize("risk", [(), ("job", "town")])
def test_every_table_of_controls_and_exchanged_columns_stays(risk):
    data = people()
    step = ammg.DataSwapping(columns=["town", "street"], within=["sex", "age"], rate=0.4, risk=risk)
    masked = ammg.Pipeline([step]).run(data, secret=1).table
    cells = ["sex", "age", "town", "street"]
    assert masked.group_by(cells).len().sort(cells).equals(data.table.group_by(cells).len().sort(cells))
    assert masked["job"].equals(data.table["job"])
    moved = (masked["town"] != data.table["town"]) | (masked["street"] != data.table["street"])
    assert moved.mean() == pytest.approx(0.4, abs=0.03)


def test_rare_records_are_exchanged_first():
    data = people()
    step = ammg.DataSwapping(columns=["street"], rate=0.2, risk=["job"])
    moved = ammg.Pipeline([step]).run(data, secret=1).table["street"] != data.table["street"]
    rare = data.table["job"].is_in(["h", "i", "j"])
    assert moved.filter(rare).mean() > 0.9 > 0.3 > moved.filter(~rare).mean()


def test_columns_are_named_and_controls_are_others():
    with pytest.raises(InputError, match="name those to exchange"):
        ammg.Pipeline([ammg.DataSwapping()]).run(people(20), secret=1)
    with pytest.raises(InputError, match="cannot be both exchanged and a control"):
        ammg.Pipeline([ammg.DataSwapping(columns=["town"], within=["town"])]).run(people(20), secret=1)
