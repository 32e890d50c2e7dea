import polars as pl
import pytest

import ammg
from ammg.errors import InputError

TABLE = pl.DataFrame({"job": ["a"] * 4 + ["b"] * 3 + ["c"] * 2 + ["d", None], "w": [1.0] * 9 + [50.0, 1.0]})


def recoded(data: object = TABLE, **options: object) -> ammg.Masked:
    return ammg.Pipeline([ammg.RareCategoryRecoding(columns=["job"], **options)]).run(data)


def test_the_most_frequent_stay_and_the_rest_are_one() -> None:
    masked = recoded(keep=2)
    assert masked.table["job"].to_list() == ["a"] * 4 + ["b"] * 3 + ["other"] * 3 + [None]
    assert masked.schema["job"].categories == ("a", "b", "other")


def test_weights_decide_who_is_frequent() -> None:
    masked = recoded(ammg.Microdata(TABLE).with_roles(weight="w"), keep=1, merged="rest")
    assert set(masked.table["job"].drop_nulls()) == {"d", "rest"}


def test_a_single_rare_category_is_not_merged_with_itself() -> None:
    assert recoded(keep=3).table.equals(TABLE)


def test_equal_frequencies_go_by_the_dictionary() -> None:
    table = pl.DataFrame({"job": ["z", "y", "x"]})
    assert recoded(table, keep=1).table["job"].to_list() == ["other", "other", "x"]


def test_categories_that_are_numbers_become_names() -> None:
    data = ammg.Microdata(pl.DataFrame({"job": [1, 1, 2, 3]})).with_kinds(nominal="job")
    assert recoded(data, keep=1).table["job"].to_list() == ["1", "1", "other", "other"]


def test_a_name_that_is_taken_is_refused() -> None:
    with pytest.raises(InputError, match="'job' already has a category 'a'"):
        recoded(keep=1, merged="a")
