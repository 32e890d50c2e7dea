"""Categories that are merged because their people are alike."""

from __future__ import annotations

import numpy as np
import polars as pl

import ammg
from ammg.analyzer.likeness import merge_alike
from ammg.data.hierarchy import Hierarchy


def jobs(n: int = 4_000) -> ammg.Microdata:
    """Six jobs of three pairs: the people of a pair are of the same age and from the same town."""
    rng = np.random.default_rng(1)
    job = rng.integers(0, 6, n)
    age = 20 + 20 * (job // 2) + rng.integers(0, 10, n)
    town = np.where(rng.random(n) < 0.9, job // 2, rng.integers(0, 3, n))
    names = np.array(["nurse", "carer", "pilot", "steward", "judge", "clerk"])
    table = pl.DataFrame({"job": names[job], "age": age, "town": [f"town {number}" for number in town]})
    return ammg.Microdata(table).with_kinds(nominal=["job", "town"]).with_roles(key=["job", "age", "town"])


def test_those_are_merged_first_whose_people_are_alike() -> None:
    levels = merge_alike(jobs(), "job", ["job", "age", "town"])
    tree = Hierarchy.from_mapping(levels)
    pairs = [{"nurse", "carer"}, {"pilot", "steward"}, {"judge", "clerk"}]
    found = [{job for job, above in levels.items() if above[0] == label} for label in {a[0] for a in levels.values()}]
    assert [pair in found for pair in pairs].count(True) == 2  # a third of six classes goes at each level
    assert {above[-1] for above in levels.values()} == {"*"}
    assert [len(set(tree.level(number).values())) for number in range(tree.height + 1)] == [6, 4, 3, 2, 1]


def test_a_merged_class_is_named_after_its_most_frequent_categories() -> None:
    table = pl.DataFrame({"job": ["a"] * 50 + ["b"] * 40 + ["c"] * 3 + ["d"] * 2})
    data = ammg.Microdata(table).with_kinds(nominal="job").with_roles(key="job")
    assert merge_alike(data, "job", ["job"])["d"] == ["c | d", "b | c | d", "*"]


def test_the_label_of_a_merged_class_names_all_its_categories_in_the_release() -> None:
    names = [f"occupation {letter}" for letter in "abcdefghij"]
    table = pl.DataFrame({"job": [name for number, name in enumerate(names) for _ in range(40 - 3 * number)]})
    data = ammg.Microdata(table).with_kinds(nominal="job").with_roles(key="job")
    levels = merge_alike(data, "job", ["job"])
    level = len(levels["occupation j"]) - 2
    recoded = ammg.GlobalRecoding(columns=["job"], level=level + 1)
    masked = ammg.Pipeline([recoded]).run(data.with_hierarchies({"job": levels}), secret=1)
    released = masked.release(force="only the labels are of interest").table["job"].unique()
    assert sorted(name for label in released for name in label.split(" | ")) == names
    assert len(released) == 2


def test_categories_that_have_the_sign_between_categories_in_their_names_get_another_one() -> None:
    table = pl.DataFrame({"job": ["a | b"] * 50 + ["a"] * 40 + ["b"] * 3 + ["d"] * 2})
    data = ammg.Microdata(table).with_kinds(nominal="job").with_roles(key="job")
    levels = merge_alike(data, "job", ["job"])
    assert levels["d"] == ["b / d", "a / b / d", "*"]
    assert levels["a | b"] == ["a | b", "a | b", "*"]


def test_few_and_very_many_categories_are_left_to_other_rules() -> None:
    few = ammg.Microdata(pl.DataFrame({"sex": ["f", "m"] * 5})).with_kinds(nominal="sex")
    many = ammg.Microdata(pl.DataFrame({"code": [f"c{number}" for number in range(200)]})).with_kinds(nominal="code")
    assert merge_alike(few, "sex", ["sex"]) == {}
    assert merge_alike(many, "code", ["code"]) == {}


def test_a_category_that_nobody_has_gets_its_place() -> None:
    jobs_of = pl.Enum(["a", "b", "c", "d", "e"])
    data = ammg.Microdata(pl.DataFrame({"job": pl.Series(["a", "b", "c", "d"] * 5, dtype=jobs_of)})).with_roles(
        key="job"
    )
    assert set(merge_alike(data, "job", ["job"])) == {"a", "b", "c", "d", "e"}
