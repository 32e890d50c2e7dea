from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError


def homes(n=3000, seed=0):
    rng = np.random.default_rng(seed)
    size = rng.integers(1, 5, n)
    home = np.repeat(np.arange(n), size)
    district = rng.integers(0, 12, n)
    table = pl.DataFrame(
        {
            "home": home,
            "region": (district // 4).astype(str)[home],
            "district": district.astype(str)[home],
            "members": size[home],
            "tenure": rng.choice(["own", "rent"], n)[home],
            "sex": rng.choice(["f", "m"], len(home)),
            "age": rng.integers(0, 90, len(home)) // 10 * 10,
            "origin": rng.choice(list("abcdef"), len(home), p=[0.7, 0.2, 0.06, 0.02, 0.01, 0.01]),
        }
    )
    data = ammg.Microdata(table).with_kinds(nominal=["region", "district"])
    data = data.with_roles(household="home", key=["region", "district", "sex", "age", "origin"])
    return data.with_levels(household=["region", "district", "members", "tenure"])


STEP = ammg.TargetedRecordSwapping(
    columns=["region", "district"], similar=[["members", "tenure"], ["members"]], rate=0.1, k=2
)


def rare_homes(table, area, k):
    counted = table.with_columns(pl.len().over(area, "sex", "age", "origin").alias("people"))
    return set(counted.filter(pl.col("people") < k)["home"].to_list())


def test_risky_households_move_first_and_as_a_whole():
    data = homes()
    masked = ammg.Pipeline([STEP]).run(data, secret=1)
    table, before = masked.table, data.table
    assert table.group_by("home").agg(pl.col("region", "district").n_unique().max()).select(
        pl.col("region", "district").max()
    ).row(0) == (1, 1)
    moved = set(table.filter(table["district"] != before["district"])["home"].to_list())
    risky = rare_homes(before, "region", 2) | rare_homes(before, "district", 2)
    assert len(risky & moved) >= 0.99 * len(risky)
    assert len(moved) >= 0.1 * before["home"].n_unique()
    crossed = set(table.filter(table["region"] != before["region"])["home"].to_list())
    assert len(rare_homes(before, "region", 2) - crossed) <= 0.01 * len(moved)
    assert "risky ones among them" in masked.steps[0].notes[0]


def test_districts_stay_in_their_region_and_the_profile_keeps_its_tables():
    data = homes()
    table = ammg.Pipeline([STEP]).run(data, secret=1).table
    inside = set(data.table.select("region", "district").unique().rows())
    assert set(table.select("region", "district").unique().rows()) == inside
    cells = ["district", "members"]
    assert table.group_by(cells).len().sort(cells).equals(data.table.group_by(cells).len().sort(cells))
    others = ["home", "members", "tenure", "sex", "age", "origin"]
    assert table.select(others).equals(data.table.select(others))


def test_more_households_follow_until_the_rate_is_reached():
    data = homes()
    step = STEP.model_copy(update={"k": 1, "rate": 0.3})
    table = ammg.Pipeline([step]).run(data, secret=1).table
    moved = table.filter(table["district"] != data.table["district"])["home"].n_unique()
    assert moved == pytest.approx(0.3 * 3000, abs=2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"columns": ("district", "region")}, "'region' is not nested in 'district'"),
        ({"similar": (("age",),)}, "'age' varies within"),
        ({"columns": None}, "name the geography"),
        ({"keys": ("agee",)}, "Did you mean 'age'"),
    ],
)
def test_bad_input_gets_a_sentence(changes, message):
    with pytest.raises(ammg.AmmgError, match=message):
        ammg.Pipeline([STEP.model_copy(update=changes)]).run(homes(200), secret=1)


def test_unknown_columns_are_refused():
    with pytest.raises(InputError):
        ammg.TargetedRecordSwapping(columns=["region"], k=0)
