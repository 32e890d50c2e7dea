"""Mondrian."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import AmmgError, InputError


def numbers(n: int = 200, seed: int = 3) -> ammg.Microdata:
    rng = np.random.default_rng(seed)
    table = pl.DataFrame({"age": rng.integers(0, 90, n), "income": np.round(np.exp(rng.normal(3, 1, n)), 1)})
    return ammg.Microdata(table).with_roles(key=["age", "income"])


def recoded(data: ammg.Microdata, **parameters: object) -> pl.DataFrame:
    return ammg.Pipeline([ammg.Mondrian(**parameters)]).run(data, secret=1).table  # type: ignore[arg-type]


def cut_by_hand(points: np.ndarray, members: np.ndarray, k: int) -> list[list[int]]:
    """LeFevre's recursion, for points without ties: the median of the widest attribute, while both halves have k."""
    spread = np.ptp(points[members], axis=0) / np.ptp(points, axis=0)
    if len(members) >= 2 * k:
        for j in np.argsort(-spread, kind="stable"):
            order = members[np.argsort(points[members, j])]
            half = (len(order) + 1) // 2
            return cut_by_hand(points, order[:half], k) + cut_by_hand(points, order[half:], k)
    return [sorted(members.tolist())]


def test_groups_are_those_of_the_recursion_on_medians() -> None:
    points = np.random.default_rng(5).normal(size=(64, 2))
    data = ammg.Microdata(pl.DataFrame({"x": points[:, 0], "y": points[:, 1]})).with_roles(key=["x", "y"])
    table = recoded(data, k=3).with_row_index("row")
    mine = sorted(sorted(rows) for rows in table.group_by("x", "y").agg("row")["row"].to_list())
    assert mine == sorted(cut_by_hand(points, np.arange(64), 3))


@pytest.mark.parametrize("k", [2, 5, 20])
def test_every_record_has_k_look_alikes(k: int) -> None:
    assert recoded(numbers(), k=k).group_by("age", "income").len()["len"].min() >= k


def test_intervals_run_from_the_least_to_the_greatest_value_of_the_group() -> None:
    data = numbers()
    table = recoded(data, k=5).with_columns(x=data.table["age"])
    for (shown, _), group in table.group_by("age", "income"):
        low, high = group["x"].min(), group["x"].max()
        assert shown == (f"{low}-{high}" if low != high else str(low))


def test_a_hierarchy_is_cut_into_the_classes_below() -> None:
    table = pl.DataFrame({"state": ["Ohio"] * 3 + ["Iowa"] * 3 + ["Maine"] * 3 + ["Vermont"] * 1})
    tree = {"Ohio": ["West", "*"], "Iowa": ["West", "*"], "Maine": ["East", "*"], "Vermont": ["East", "*"]}
    data = ammg.Microdata(table).with_roles(key="state").with_hierarchies(state=tree)
    assert recoded(data, k=3)["state"].to_list() == ["Ohio"] * 3 + ["Iowa"] * 3 + ["East"] * 4


def test_equal_records_get_equal_values_and_no_random_number_is_drawn() -> None:
    data = numbers()
    one, other = (ammg.Pipeline([ammg.Mondrian(k=4)]).run(data, secret=secret).table for secret in (1, 2))
    assert one.equals(other)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"k": 500}, "k is 500, but the file has only 200 records"),
        ({"importance": {"agee": 2.0}}, "'agee' is not recoded. Did you mean 'age'"),
        ({"importance": {"age": -1.0}}, "a number above 0"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(parameters: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        recoded(numbers(), **parameters)


def test_groups_share_the_columns_that_they_are_formed_within() -> None:
    rng = np.random.default_rng(7)
    table = pl.DataFrame({"age": rng.integers(0, 90, 300), "region": rng.choice(["north", "south", ""], 300)})
    table = table.with_columns(pl.col("region").replace("", None))
    data = ammg.Microdata(table).with_roles(key=["age", "region"]).with_kinds(nominal="region")
    after = recoded(data, columns=["age"], k=4, within=["region"])
    assert after["region"].equals(table["region"])
    assert after.group_by("age", "region").len()["len"].min() >= 4
    for (region,), part in table.group_by("region"):
        alone = recoded(ammg.Microdata(part.select("age")).with_roles(key="age"), k=4)
        together = after.filter(pl.col("region").eq_missing(pl.lit(region, pl.String)))
        assert together["age"].to_list() == alone["age"].to_list()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"columns": ["age"], "within": ["region"], "k": 3}, "1 of 2 strata by region have fewer than k = 3 records"),
        ({"columns": ["age", "region"], "within": ["region"]}, "'region' cannot be both recoded and kept"),
        ({"columns": ["age"], "within": ["regoin"]}, "Did you mean 'region'"),
    ],
)
def test_strata_that_cannot_be_are_refused_in_one_sentence(parameters: dict[str, object], said: str) -> None:
    table = pl.DataFrame({"age": range(10), "region": ["north"] * 8 + ["south"] * 2})
    with pytest.raises(AmmgError, match=said):
        recoded(ammg.Microdata(table).with_roles(key=["age", "region"]).with_kinds(nominal="region"), **parameters)
