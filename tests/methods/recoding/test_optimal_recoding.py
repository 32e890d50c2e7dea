"""Optimal recoding against ARX's optimum and against exhaustive enumeration."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.attribute import Kind
from ammg.data.hierarchy import Hierarchy
from ammg.errors import InputError

EIGHT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")
ARX = {"loss": "generalisation", "entropy": "entropy", "entropy_mono": "entropy", "dm": "discernibility"}


@pytest.fixture(scope="module")
def adult(shared: Path) -> ammg.Microdata:
    """30,162 people with ARX's hierarchies."""
    table = pl.read_csv(shared / "data" / "adult.csv", separator=";", infer_schema_length=0)
    folder = shared / "data" / "adult_hierarchies"
    trees = {name: Hierarchy.from_csv(folder / f"adult_hierarchy_{name}.csv") for name in table.columns}
    return ammg.Microdata(table).with_roles(key=table.columns).with_hierarchies(trees)


def small() -> ammg.Microdata:
    """Twelve people, two keys with hierarchies, one confidential attribute."""
    table = pl.DataFrame(
        {
            "age": [21, 22, 23, 24, 31, 32, 33, 34, 41, 42, 43, 77],
            "town": ["a", "a", "b", "b", "a", "a", "b", "b", "c", "c", "d", "d"],
            "illness": ["flu", "flu", "flu", "flu", "flu", "cold", "flu", "cold", "cold", "flu", "cold", "flu"],
        }
    )
    ages = Hierarchy.from_rows([age, f"{age // 10}0s", "young" if age < 40 else "old", "*"] for age in range(20, 80))
    towns = Hierarchy.from_mapping({"a": ["west", "*"], "b": ["west", "*"], "c": ["east", "*"], "d": ["east", "*"]})
    data = ammg.Microdata(table).with_roles(key=["age", "town"], confidential="illness")
    return data.with_hierarchies({"age": ages, "town": towns})


def run(data: ammg.Microdata, **parameters: object) -> tuple[pl.DataFrame, str]:
    masked = ammg.Pipeline([ammg.OptimalRecoding(**parameters)]).run(data, secret=1)
    return masked.table, masked.steps[0].notes[0]


def levels(note: str, names: tuple[str, ...]) -> dict[str, int]:
    return {name: int(note.split(f"{name} ")[1].split(",")[0].split(";")[0]) for name in names}


@pytest.mark.parametrize("number", range(7))
def test_it_finds_arxs_optimum(adult: ammg.Microdata, shared: Path, number: int) -> None:
    entries = json.loads((shared / "golden" / "arx_adult.json").read_text())["entries"]
    entry = [entry for entry in entries if entry["mode"] == "anon"][number]
    table, note = run(
        adult, columns=EIGHT, k=entry["k"], suppression=entry["suppression_limit"], loss=ARX[entry["metric"]]
    )
    assert levels(note, EIGHT) == entry["levels"]
    blank = table.select(pl.all_horizontal(pl.col(EIGHT).is_null())).to_series()
    assert blank.sum() == entry["suppressed_records"]
    score = float(note.split("loss ")[1].split(";")[0])
    assert score == pytest.approx(float(entry["score"]), rel=1e-5)
    sizes = table.filter(~blank).group_by(EIGHT).len()["len"]
    assert sizes.min() >= entry["k"]


def test_no_transformation_loses_less() -> None:
    data = small()
    for loss in ("generalisation", "entropy", "discernibility", "class_size", "cells"):
        for suppression in (0.0, 0.2, 1.0):
            _, note = run(data, k=3, suppression=suppression, loss=loss)
            best = float(note.split("loss ")[1].split(";")[0])
            for age, town in product(range(4), range(3)):
                try:
                    _, other = run(data, k=3, suppression=suppression, loss=loss, greatest={"age": age, "town": town})
                except InputError:
                    continue
                assert float(other.split("loss ")[1].split(";")[0]) >= best - 1e-6 * abs(best)


@pytest.mark.proof
def test_nine_keys_agree_with_exhaustive_enumeration(adult: ammg.Microdata) -> None:
    """k = 5, 2 % suppression: the loss of each of the 12,960 transformations, from a count of its own."""
    names = tuple(adult.columns)
    _, note = run(adult, k=5, suppression=0.02)
    assert "optimal among 12,960 transformations" in note
    best = float(note.split("loss ")[1].split(";")[0])
    assert best == pytest.approx(_least_loss(adult, names, 5, int(0.02 * len(adult))), rel=1e-5)


def _least_loss(adult: ammg.Microdata, names: tuple[str, ...], k: int, most: int) -> float:
    trees = {name: adult.schema[name].hierarchy for name in names}
    cells = adult.table.group_by(names).len()
    counts = cells["len"].to_numpy()
    codes, shares, least = [], [], []
    for name in names:
        tree = trees[name]
        assert tree is not None
        at, share = [], []
        for level in range(tree.height + 1):
            parents = tree.level(level)
            members: dict[str, int] = {}
            for parent in parents.values():
                members[parent] = members.get(parent, 0) + 1
            place = {parent: code for code, parent in enumerate(members)}
            at.append(np.array([place[parents[value]] for value in cells[name]]))
            share.append(np.array([size / len(parents) for size in members.values()]))
        codes.append(at)
        shares.append(share)
        least.append(1 / len(tree.rows))
    best, n = np.inf, counts.sum()
    for node in product(*(range(len(at)) for at in codes)):
        key = np.zeros(len(counts), np.int64)
        bound = 1.0
        for place, level in enumerate(node):
            mean = (counts * shares[place][level][codes[place][level]]).sum() / n
            bound *= (1 + (mean - least[place]) / (1 - least[place])) ** (1 / len(names))
            key = key * len(shares[place][level]) + codes[place][level]
        if bound - 1 >= best:
            continue  # whatever is suppressed, it cannot lose less
        _, index = np.unique(key, return_inverse=True)
        gone = np.bincount(index, counts)[index] < k
        if counts[gone].sum() > most:
            continue
        total = 1.0
        for place, level in enumerate(node):
            share = np.where(gone, 1.0, shares[place][level][codes[place][level]])
            total *= (1 + ((counts * share).sum() / n - least[place]) / (1 - least[place])) ** (1 / len(names))
        best = min(best, total - 1)
    return best


def test_every_class_has_enough_distinct_values() -> None:
    table, _ = run(small(), k=2, criteria=[{"distinct_l_diversity": 2}], suppression=0.0)
    assert table.group_by("age", "town").agg(pl.col("illness").n_unique())["illness"].min() == 2


def test_a_criterion_that_is_not_monotone_prunes_nothing() -> None:
    data = small()
    _, note = run(data, k=2, criteria=[{"equal_t_closeness": {"t": 0.3}}], suppression=0.2)
    assert "optimal among 12 transformations" in note


def test_numbers_become_ordered_classes_with_their_means() -> None:
    masked = ammg.Pipeline([ammg.OptimalRecoding(k=2, suppression=0.1)]).run(small(), secret=1)
    age = masked.schema["age"]
    assert age.kind is Kind.ORDINAL
    assert age.scores is not None
    assert list(age.scores) == sorted(age.scores)


def test_a_key_without_a_hierarchy_is_kept_or_removed_whole() -> None:
    data = ammg.Microdata(pl.DataFrame({"a": ["x", "x", "y", "y"], "b": ["1", "2", "3", "4"]})).with_roles(
        key=["a", "b"]
    )
    table, _ = run(data, k=2, suppression=0.0)
    assert table["a"].to_list() == ["x", "x", "y", "y"]
    assert set(table["b"]) == {"*"}


def test_missing_values_stay_missing_and_are_a_class_of_their_own_below_the_top() -> None:
    data = small()
    table = data.table.with_columns(age=pl.when(pl.col("age") != 77).then(pl.col("age")))
    masked, _ = run(ammg.Microdata(table, data.schema), k=3, suppression=0.0)
    assert masked["age"].null_count() == 1
    assert masked["age"].drop_nulls().n_unique() == 1  # one missing age cannot stand alone beside others


def test_fifteen_keys_get_a_heuristic_that_says_so() -> None:
    rng = np.random.default_rng(5)
    table = pl.DataFrame({f"key{i}": rng.integers(0, 4, 300).astype(str) for i in range(15)})
    tree = Hierarchy.from_mapping({"0": ["low", "*"], "1": ["low", "*"], "2": ["high", "*"], "3": ["high", "*"]})
    data = ammg.Microdata(table).with_roles(key=table.columns).with_hierarchies(dict.fromkeys(table.columns, tree))
    masked, note = run(data, k=3, suppression=0.05, budget=400)
    assert "heuristic: " in note
    shown = masked.drop_nulls()
    assert shown.group_by(table.columns).len()["len"].min() >= 3


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"suppression": 1.5}, "suppression"),
        ({"k": 13, "suppression": 0.0}, "k is 13, but the file has only 12 records"),
        (
            {"k": 2, "criteria": [{"distinct_l_diversity": 3}], "suppression": 0.5},
            "Even with all keys suppressed, the records",
        ),
        ({"k": 9, "greatest": {"age": 0, "town": 0}, "suppression": 0.5}, "No level of age, town meets the"),
        ({"importance": {"agee": 2}}, "'agee' is not recoded. Did you mean 'age'"),
        ({"greatest": {"age": 9}}, "levels 0 to 3"),
        ({"criteria": [{"distinct_l_diversity": {"attributes": ["town"]}}]}, "both a key and the sensitive attribute"),
        ({"criteria": [{"distinct_diversity": 2}]}, "Unknown criterion 'distinct_diversity'. Did you mean"),
        ({"criteria": [{"k_map": 3}]}, "give an attribute the role weight"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(parameters: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        run(small(), **parameters)


def test_a_value_without_a_place_in_its_hierarchy_is_named() -> None:
    data = small()
    data = data.with_hierarchies({"town": Hierarchy.from_mapping({"a": ["west"], "b": ["west"], "c": ["east"]})})
    with pytest.raises(InputError, match="The hierarchy of 'town' lacks the value 'd': add a row for it"):
        run(data, k=2)


def test_dates_are_recoded_along_their_calendar() -> None:
    days = ["2001-01-05", "2001-01-09", "2001-02-03", "2001-05-05", "2001-05-06", "2001-06-30"]
    data = ammg.Microdata(pl.DataFrame({"born": days}).with_columns(pl.col("born").str.to_date()))
    data = data.with_roles(key="born").with_hierarchies(born="by calendar")
    table, _ = run(data, k=3, suppression=0)
    assert table["born"].to_list() == ["2001 Q1"] * 3 + ["2001 Q2"] * 3


def test_unsafe_combinations_and_presence_hold_in_the_release() -> None:
    rng = np.random.default_rng(4)
    names = ["a", "b", "c", "d"]
    table = pl.DataFrame({name: rng.choice(list("uvwxyz"), 300, p=rng.dirichlet(np.ones(6))) for name in names})
    table = table.with_columns(weight=rng.integers(1, 9, 300))
    data = ammg.Microdata(table).with_roles(key=names, weight="weight")
    data = data.with_hierarchies(dict.fromkeys(names, "by frequency 3, 1"))
    criteria = [{"unsafe_combinations": {"k": 6, "dimension": 2}}, {"delta_presence": 0.4}]
    shown, _ = run(data, k=1, criteria=criteria, suppression=0.2)
    left = shown.drop_nulls()
    for i, one in enumerate(names):
        for other in names[i:]:
            assert left.group_by(list({one, other})).len()["len"].min() >= 6
    share = left.group_by(names).agg(pl.len() / pl.col("weight").sum())["len"]
    assert share.max() <= 0.4


@pytest.mark.parametrize("mean_size", [2.0, 3.0, 6.0])
def test_classes_are_as_large_on_average_as_asked_and_no_finer_recoding_is(mean_size: float) -> None:
    data = small()
    table, note = run(data, k=1, suppression=0.0, mean_size=mean_size, loss="cells")
    least = float(note.split("loss ")[1].split(";")[0])
    assert len(data.table) / table.select("age", "town").n_unique() >= mean_size
    for age, town in product(range(4), range(3)):
        node, said = (
            run(data, k=1, suppression=0.0, loss="cells", greatest={"age": age, "town": town}, mean_size=mean_size)
            if _reaches(data, age, town, mean_size)
            else (None, "")
        )
        assert node is None or float(said.split("loss ")[1].split(";")[0]) >= least


def _reaches(data: ammg.Microdata, age: int, town: int, mean_size: float) -> bool:
    """Whether these levels, counted by hand, have few enough classes."""
    schema = data.schema
    columns = [
        data.table[name]
        .cast(pl.String)
        .replace_strict({str(k): v for k, v in schema[name].hierarchy.level(level).items()})
        for name, level in (("age", age), ("town", town))
    ]
    return len(data.table) / pl.DataFrame(columns).n_unique() >= mean_size


def test_recoding_without_suppression_takes_keys_of_persons_and_households() -> None:
    table = small().table.with_columns(home=pl.Series([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]))
    data = ammg.Microdata(table).with_roles(key=["age", "town"], household="home").with_levels(household="town")
    data = data.with_hierarchies({name: small().schema[name].hierarchy for name in ("age", "town")})
    step = {"columns": ["age", "town"], "k": 3}
    after, _ = run(data, **step, suppression=0.0)
    assert after.group_by("age", "town").len()["len"].min() >= 3
    assert after.group_by("home").agg(pl.col("town").n_unique())["town"].max() == 1
    with pytest.raises(InputError, match="use one step for each level"):
        run(data, **step, suppression=0.1)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (
            {"criteria": [{"distinct_l_diversity": {"least": 9}}]},
            "Even with all keys suppressed, the records break .*least=9",
        ),
        ({"k": 50}, "k is 50, but the file has only 6 records"),
    ],
)
def test_what_full_suppression_cannot_reach_is_refused(asked: dict[str, object], said: str) -> None:
    table = pl.DataFrame({"age": range(6), "illness": ["flu", "cold", "flu", "mumps", "flu", "cold"]})
    data = ammg.Microdata(table).with_roles(key="age", confidential="illness")
    with pytest.raises(InputError, match=said):
        ammg.Pipeline([ammg.OptimalRecoding(**{"k": 2, "suppression": 1.0, **asked})]).run(data, secret=1)
