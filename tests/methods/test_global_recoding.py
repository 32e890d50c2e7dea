import polars as pl
import pytest

import ammg
from ammg import Kind
from ammg.errors import InputError

TABLE = pl.DataFrame({"age": [25, 35, 44, None, 60], "city": ["Lyon", "Nice", "Bonn", None, "Lyon"]})
TREE = ammg.Hierarchy.from_mapping({"Lyon": ["France"], "Nice": ["France"], "Bonn": ["Germany"]})


def recoded(data: object = TABLE, **options: object) -> ammg.Masked:
    return ammg.Pipeline([ammg.GlobalRecoding(**options)]).run(data)


def test_a_map_renames_values_and_leaves_others() -> None:
    masked = recoded(columns=["city"], map={"Lyon": "France", "Nice": "France"})
    assert masked.table["city"].to_list() == ["France", "France", "Bonn", None, "France"]
    assert masked.schema["city"].categories == ("Bonn", "France")


def test_cut_points_belong_to_the_interval_above_or_below() -> None:
    above = recoded(columns=["age"], cuts=(35, 50)).table["age"]
    assert above.to_list() == ["< 35", "[35, 50)", "[35, 50)", None, "≥ 50"]
    below = recoded(columns=["age"], cuts=(35, 50), right_closed=True).table["age"]
    assert below.to_list() == ["≤ 35", "≤ 35", "(35, 50]", None, "> 50"]


def test_numbers_become_ordered_intervals_in_any_order_of_the_cuts() -> None:
    masked = recoded(columns=["age"], cuts=(50, 35, 35))
    assert masked.schema["age"].kind is Kind.ORDINAL
    assert masked.table["age"].dtype == pl.Enum(["< 35", "[35, 50)", "≥ 50"])


def test_equal_groups_have_about_equally_many_records() -> None:
    masked = recoded(pl.DataFrame({"x": range(100)}), columns=["x"], groups=4)
    assert sorted(masked.table["x"].value_counts()["count"]) == [24, 25, 25, 26]


def test_many_equal_values_make_fewer_groups() -> None:
    masked = recoded(pl.DataFrame({"x": [0] * 9 + [1]}), columns=["x"], groups=5)
    assert masked.table["x"].to_list() == ["≥ 0"] * 10


def test_a_column_without_values_has_one_empty_class() -> None:
    table = pl.DataFrame({"x": pl.Series([None, None], dtype=pl.Float64)})
    assert recoded(table, columns=["x"], groups=3).table["x"].null_count() == 2


def test_a_level_of_the_hierarchy_is_looked_up() -> None:
    data = ammg.Microdata(TABLE).with_hierarchies({"city": TREE})
    masked = recoded(data, columns=["city"], level=1)
    assert masked.table["city"].to_list() == ["France", "France", "Germany", None, "France"]
    assert recoded(data, columns=["city"], level=0).table["city"].to_list() == TABLE["city"].to_list()


def test_numbers_have_hierarchies_too() -> None:
    tree = ammg.Hierarchy.from_rows([[age, f"{age // 10}0s"] for age in (25, 35, 44, 60)])
    masked = recoded(ammg.Microdata(TABLE).with_hierarchies({"age": tree}), columns=["age"], level=1)
    assert masked.table["age"].to_list() == ["20s", "30s", "40s", None, "60s"]


def test_the_new_partition_is_a_function_of_the_old_values() -> None:
    survey = ammg.datasets.survey(300, seed=1)
    masked = recoded(survey, columns=["age"], groups=6)
    together = pl.DataFrame({"before": survey["age"], "after": masked.table["age"]})
    assert (together.group_by("before").agg(pl.col("after").n_unique())["after"] == 1).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"columns": ["city"], "map": {"Lion": "France"}},
            "'city' has no value 'Lion' .* Did you mean 'Lyon'",
        ),
        ({"columns": ["city"], "level": 1}, "'city' has no hierarchy"),
        ({"columns": ["city"], "cuts": (1, 2)}, "'city' is nominal and has no intervals: recode it by map or level"),
        ({"columns": ["age"], "map": {"25": "young"}}, "'age' has the value 35, which the map or hierarchy lacks"),
        ({"columns": ["age"], "map": {"young": "x"}}, "'age' is a number, and its map or hierarchy has .* 'young'"),
    ],
)
def test_what_cannot_be_recoded_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        recoded(**options)


def test_a_hierarchy_that_lacks_a_value_is_refused() -> None:
    data = ammg.Microdata(pl.DataFrame({"city": ["Rome"]})).with_hierarchies({"city": TREE})
    with pytest.raises(InputError, match="hierarchy of 'city' lacks the value 'Rome': add a row"):
        recoded(data, columns=["city"], level=1)


@pytest.mark.parametrize("options", [{}, {"groups": 3, "cuts": (1,)}])
def test_exactly_one_way_is_given(options: dict[str, object]) -> None:
    with pytest.raises(InputError, match="give exactly one of map, cuts, groups, level"):
        ammg.GlobalRecoding(**options)
