"""Local recoding against Mondrian, and against the best partition of small files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError

HOUSING = ["urbrur", "roof", "walls", "water", "electcon", "relat", "sex"]


def run(data: ammg.Microdata, method: ammg.Method) -> ammg.Masked:
    return ammg.Pipeline([method]).run(data, secret=1)


def lost(data: ammg.Microdata, masked: pl.DataFrame, keys: list[str]) -> float:
    """Mean share of the range (or of the other categories) that the groups of equal records span, by hand."""
    table = data.table.select(keys).with_columns(group=masked.select(pl.struct(keys).rank("dense")).to_series())
    total = 0.0
    for name in keys:
        if data.schema[name].is_numeric:
            width = pl.col(name).max() - pl.col(name).min()
            whole = table[name].max() - table[name].min()
        else:
            width, whole = (pl.col(name).n_unique() > 1).cast(pl.Float64), 1.0
        total += (
            float(
                (table.group_by("group").agg(width.alias("w"), pl.len()).select(pl.col("w") * pl.col("len")))
                .sum()
                .item()
            )
            / whole
        )
    return total / (len(keys) * len(data))


@pytest.fixture(scope="module", params=["CENSUS", "testdata", "free1"])
def reference(request: pytest.FixtureRequest, shared: Path) -> tuple[ammg.Microdata, list[str]]:
    data = ammg.read(shared / "data" / f"{request.param}.csv")
    if request.param == "testdata":
        return data.with_kinds(nominal=HOUSING).with_roles(key=[*HOUSING, "age"]), [*HOUSING, "age"]
    if request.param == "free1":
        keys = ["REGION", "SEX", "AGE", "MARSTAT", "KINDPERS", "EDUC1", "ETNI"]
        nominal = [name for name in keys if name != "AGE"]
        return data.with_kinds(nominal=nominal).with_roles(key=keys), keys
    keys = list(data.columns)
    return data.with_roles(key=keys), keys


def test_it_loses_at_most_two_thirds_of_what_mondrian_loses(reference: tuple[ammg.Microdata, list[str]]) -> None:
    data, keys = reference
    mondrian, mine = (run(data, method).table for method in (ammg.Mondrian(k=5), ammg.LocalRecoding(k=5, moves=40_000)))
    for table in (mondrian, mine):
        assert table.group_by(keys).len()["len"].min() >= 5
    assert lost(data, mine, keys) < 2 / 3 * lost(data, mondrian, keys)


def partitions(items: list[int], k: int) -> Iterator[list[list[int]]]:
    """All partitions into groups of k to 2k-1."""
    from itertools import combinations

    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for size in range(k, 2 * k):
        for others in combinations(rest, size - 1):
            left = [item for item in rest if item not in others]
            if not left or len(left) >= k:
                for tail in partitions(left, k):
                    yield [[first, *others], *tail]


@pytest.mark.parametrize("seed", range(5))
def test_small_files_are_recoded_with_the_least_loss_there_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 50, (9, 2)).astype(float)
    data = ammg.Microdata(pl.DataFrame(values, schema=["a", "b"])).with_roles(key=["a", "b"])
    table = run(data, ammg.LocalRecoding(k=2)).table
    scaled = values / np.ptp(values, axis=0)
    best = min(
        sum(len(group) * np.ptp(scaled[group], axis=0).sum() for group in groups)
        for groups in partitions(list(range(9)), 2)
    )
    assert lost(data, table, ["a", "b"]) * 18 == pytest.approx(best)


def test_values_show_the_least_class_that_holds_the_group() -> None:
    tree = {"Ohio": ["West", "*"], "Iowa": ["West", "*"], "Maine": ["East", "*"], "Vermont": ["East", "*"]}
    states = ["Ohio", "Ohio", "Iowa", "Maine", "Maine", "Maine", "Vermont", "Vermont", "Vermont"]
    data = ammg.Microdata(pl.DataFrame({"state": states})).with_roles(key="state").with_hierarchies(state=tree)
    assert run(data, ammg.LocalRecoding(k=3)).table["state"].to_list() == ["West"] * 3 + states[3:]


def test_ordered_categories_become_runs_and_dates_periods() -> None:
    levels = ["none", "school", "college"]
    table = pl.DataFrame(
        {
            "education": pl.Series(["none", "school", "college", "college"], dtype=pl.Enum(levels)),
            "born": pl.Series(["2000-01-01", "2000-01-09", "2010-05-05", "2010-06-05"]).str.to_date(),
        }
    )
    shown = run(
        ammg.Microdata(table).with_kinds(ordinal="education").with_roles(key=["education", "born"]),
        ammg.LocalRecoding(k=2),
    ).table
    assert shown["education"].to_list() == ["none to school", "none to school", "college", "college"]
    assert shown["born"][0] == "2000-01-01 to 2000-01-09"


def test_a_frequent_combination_lends_a_record_to_a_rare_one() -> None:
    ages = [20] * 7 + [21] * 2 + [60] * 3
    table = run(ammg.Microdata(pl.DataFrame({"age": ages})).with_roles(key="age"), ammg.LocalRecoding(k=3)).table
    assert sorted(table["age"].to_list()) == ["20"] * 6 + ["20-21"] * 3 + ["60"] * 3


def test_missing_values_stay_and_match_any_value() -> None:
    data = ammg.Microdata(pl.DataFrame({"a": [1, None, 2, 7, 8, None], "b": [1, 1, 2, 9, 9, 9]})).with_roles(
        key=["a", "b"]
    )
    masked = run(data, ammg.LocalRecoding(k=3))
    assert masked.table["a"].is_null().to_list() == data.table["a"].is_null().to_list()
    assert ammg.KAnonymity(k=3).measure(masked.pair, ammg.Scenario()).value == 0


def test_what_a_class_stands_for_is_published() -> None:
    data = ammg.Microdata(pl.DataFrame({"age": [20, 22, 25, 60, 61, 65]})).with_roles(key="age")
    (told,) = run(data, ammg.LocalRecoding(k=3)).published
    assert told.holding([20, 23, 25, 30, 65]).tolist() == [[True, True, True, False, False], [False] * 4 + [True]]


def test_a_recoding_that_merges_classes_merges_what_they_stand_for() -> None:
    data = ammg.Microdata(pl.DataFrame({"age": [20, 22, 25, 60, 61, 65]})).with_roles(key="age")
    steps = [ammg.LocalRecoding(k=3), ammg.GlobalRecoding(columns=("age",), map={"20-25": "any", "60-65": "any"})]
    told = ammg.Pipeline(steps).run(data, secret=1).pair.value_sets("age")
    assert told is not None and told.holding([21, 65, 70]).tolist() == [[True, True, False]]


def test_k_larger_than_the_file_is_refused() -> None:
    with pytest.raises(InputError, match="k is 9, but the file has only 3 records"):
        run(ammg.Microdata(pl.DataFrame({"a": [1, 2, 3]})).with_roles(key="a"), ammg.LocalRecoding(k=9))


def test_groups_share_the_columns_that_they_are_formed_within() -> None:
    rng = np.random.default_rng(8)
    table = pl.DataFrame({"age": rng.integers(0, 90, 300), "region": rng.choice(["north", "south"], 300)})
    data = ammg.Microdata(table).with_roles(key=["age", "region"]).with_kinds(nominal="region")
    step = ammg.LocalRecoding(columns=["age"], k=4, within=["region"], moves=500)
    after = ammg.Pipeline([step]).run(data, secret=1).table
    assert after["region"].equals(table["region"])
    assert after.group_by("age", "region").len()["len"].min() >= 4


def test_intervals_of_numbers_lose_less_than_classes_of_a_hierarchy() -> None:
    table = pl.DataFrame({"age": np.random.default_rng(1).integers(0, 100, 300)})
    data = ammg.Microdata(table).with_roles(key="age").with_hierarchies(age="by widths 5, 10, 20")
    classes, intervals = (run(data, ammg.LocalRecoding(k=4, moves=200, intervals=asked)) for asked in (False, True))
    found = [ammg.evaluate(masked, ["cell_loss"]).value("cell_loss") for masked in (classes, intervals)]
    assert found[1] < found[0] / 2
    plain = run(ammg.Microdata(table).with_roles(key="age"), ammg.LocalRecoding(k=4, moves=200))
    assert intervals.table.equals(plain.table)
