"""Hierarchies built by rule."""

from __future__ import annotations

from datetime import date

import pytest

from ammg.data import hierarchy_builders as build
from ammg.data.hierarchy import Hierarchy
from ammg.errors import InputError


def test_ages_fall_into_five_ten_and_twenty_years() -> None:
    tree = build.by_widths(range(101), (5, 10, 20))
    assert tree.rows[34] == ("34", "30-34", "30-39", "20-39", "*")
    assert not tree.check(range(101))


def test_open_ends_gather_the_young_and_the_old() -> None:
    tree = build.by_widths(range(101), (5, 10), low=15, high=85)
    assert tree.level(1)["3"] == "< 15"
    assert tree.level(1)["99"] == tree.level(2)["85"] == "≥ 85"


def test_cuts_of_a_level_are_cuts_of_the_finer_one() -> None:
    tree = build.by_cuts([1, 5, 9], [(2, 6), (6,)])
    assert tree.rows == (("1", "< 2", "< 6", "*"), ("5", "[2, 6)", "< 6", "*"), ("9", "≥ 6", "≥ 6", "*"))
    with pytest.raises(InputError, match="Cut 7 is missing at the finer level"):
        build.by_cuts([1, 5, 9], [(2, 6), (7,)])


def test_equal_counts_follow_the_records() -> None:
    tree = build.by_equal_counts([1, 2, 3, 4], [70, 10, 10, 10], (2,))
    assert tree.level(1) == {"1": "< 2", "2": "≥ 2", "3": "≥ 2", "4": "≥ 2"}


def test_equal_widths_divide_the_range() -> None:
    assert set(build.by_equal_widths([0, 3, 8], (4, 2)).level(2).values()) == {"< 4", "≥ 4"}
    with pytest.raises(InputError, match="3 intervals cannot be made of 4"):
        build.by_equal_widths([0, 8], (4, 3))


def test_codes_lose_their_last_characters() -> None:
    assert build.by_prefix(["1234", "1299"], (3, 2)).rows[0] == ("1234", "123*", "12**", "*")


def test_days_become_months_quarters_years_and_decades() -> None:
    row = build.by_calendar([date(1987, 5, 4)]).rows[0]
    assert row == ("1987-05-04", "1987-05", "1987 Q2", "1987", "1980s", "*")


def test_ordered_categories_form_runs() -> None:
    tree = build.by_runs(["none", "school", "college", "university", "doctor"])
    assert tree.rows[0] == ("none", "none to school", "none to university", "*")
    assert tree.rows[4] == ("doctor", "doctor", "doctor", "*")


def test_rare_categories_become_other() -> None:
    tree = build.by_frequency(["a", "b", "c", "d"], [1, 9, 5, 2], (2, 1))
    assert tree.level(1) == {"a": "other", "b": "b", "c": "c", "d": "other"}
    assert tree.level(2) == {"a": "other", "b": "b", "c": "other", "d": "other"}


def test_a_tree_is_read_from_the_top() -> None:
    tree = build.by_tree({"West": {"Ohio": ["Akron", "Dayton"]}, "East": {"Maine": ["Bath"]}})
    assert tree.rows[1] == ("Dayton", "Ohio", "West", "*")


def test_a_level_is_previewed_with_its_records() -> None:
    assert build.by_widths([31, 33, 36], (5,)).preview(1, {"31": 2, "33": 1, "36": 4}) == {"30-34": 3, "35-39": 4}


def test_all_problems_are_told_together() -> None:
    with pytest.raises(InputError) as told:
        Hierarchy.from_rows([["a", "x"], ["a", "x"], ["b", "x", "y"], ["c", "x"]])
    assert "row 2 repeats the value 'a'" in str(told.value)
    assert "row 3 has 3 levels" in str(told.value)


def test_values_without_a_place_and_gaps_are_named() -> None:
    tree = Hierarchy.from_rows([["30", "30-34"], ["41", "40-44"]])
    assert tree.check([30, 41, 99]) == [
        "The hierarchy lacks the value '99': add a row for it.",
        "Level 1 has a gap between '30-34' and '40-44': 35 to 40.",
    ]
