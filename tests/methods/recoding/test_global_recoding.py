import datetime as dt

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
        ({"columns": ["city"], "cuts": (1, 2)}, "'city' is nominal, which has no intervals: recode it by map or level"),
        ({"columns": ["age"], "map": {"25": "young"}}, "'age' has the value 35, which is not in the map or hierarchy"),
        ({"columns": ["age"], "map": {"young": "x"}}, "'age' is numeric, but its map or hierarchy has .* 'young'"),
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
    with pytest.raises(InputError, match="give exactly one of map, cuts, groups, period, level"):
        ammg.GlobalRecoding(**options)


DAYS = [dt.date(2019, 12, 31), dt.date(2020, 1, 1), None, dt.date(2020, 4, 30), dt.date(2031, 7, 1)]
DATES = pl.DataFrame({"day": DAYS}).with_columns(moment=pl.col("day").cast(pl.Datetime("us")) + pl.duration(hours=13))


@pytest.mark.parametrize("column", ["day", "moment"])
@pytest.mark.parametrize(
    ("period", "expected"),
    [
        ("day", ["2019-12-31", "2020-01-01", None, "2020-04-30", "2031-07-01"]),
        ("month", ["2019-12", "2020-01", None, "2020-04", "2031-07"]),
        ("quarter", ["2019 Q4", "2020 Q1", None, "2020 Q2", "2031 Q3"]),
        ("year", ["2019", "2020", None, "2020", "2031"]),
        ("decade", ["2010s", "2020s", None, "2020s", "2030s"]),
    ],
)
def test_dates_are_reduced_to_periods_that_people_read(column: str, period: str, expected: list[str | None]) -> None:
    assert recoded(DATES, columns=column, period=period).table[column].to_list() == expected


@pytest.mark.parametrize("column", ["day", "moment"])
@pytest.mark.parametrize("cuts", [["2020-01-01", "2030-01-01"], [dt.date(2020, 1, 1), 2030], [2020, 2030]])
def test_cuts_of_dates_are_dates_or_years(column: str, cuts: list[object]) -> None:
    expected = ["< 2020-01-01", "[2020-01-01, 2030-01-01)", None, "[2020-01-01, 2030-01-01)", "≥ 2030-01-01"]
    assert recoded(DATES, columns=[column], cuts=cuts).table[column].to_list() == expected


@pytest.mark.parametrize("column", ["day", "moment"])
def test_equal_groups_of_dates_begin_on_a_day(column: str) -> None:
    labels = recoded(DATES, columns=[column], groups=2).schema[column].categories
    assert labels is not None
    assert {len(label.split()[-1]) for label in labels} == {10}, labels


def test_moments_of_one_day_are_told_apart_by_the_time() -> None:
    hours = pl.DataFrame({"t": [dt.datetime(2020, 1, 1, hour) for hour in range(8)]})
    labels = recoded(hours, columns="t", groups=2).schema["t"].categories or ()
    assert all(label[2:].startswith("2020-01-01 0") for label in labels), labels


def test_a_hierarchy_or_a_map_of_dates_is_written_in_dates() -> None:
    days = DATES.select("day").drop_nulls()
    new = {str(day): f"{day:%Y}" for day in days["day"]}
    assert recoded(days, columns="day", map=new).table["day"].to_list() == ["2019", "2020", "2020", "2031"]
    with pytest.raises(InputError, match="'day' has the value 2031-07-01, which is not in the map or hierarchy"):
        recoded(days, columns="day", map={day: year for day, year in new.items() if year < "2030"})


def test_codes_in_a_map_are_numbers_or_text() -> None:
    table = pl.DataFrame({"float": [1.0, 2.0, 4.0], "integer": [1, 2, 4], "text": ["1", "2", "4"]})
    data = ammg.Microdata(table).with_kinds(nominal=["float", "integer", "text"])
    for column in table.columns:
        for code in (4, "4", 4.0):
            after = recoded(data, columns=column, map={code: "four"}).table[column]
            assert after.cast(pl.String).to_list()[1:] in (["2", "four"], ["2.0", "four"]), (column, code)


def test_no_condition_limits_a_recoding() -> None:
    for unit in (ammg.GlobalRecoding, ammg.RareCategoryRecoding):
        assert "where" not in unit.model_fields
        assert "where" not in unit.model_json_schema()["properties"]
    with pytest.raises(InputError, match="where: unknown parameter"):
        ammg.RareCategoryRecoding(where="age > 3")
    assert "where" in ammg.TopCoding.model_fields


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": "age", "period": "year"}, "'age' is integer, which has no years: recode it by cuts"),
        ({"columns": "age", "cuts": ["2020-01-01"]}, "'age' is numeric, but the cut 2020-01-01 is a date"),
    ],
)
def test_periods_and_dates_are_for_dates(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        recoded(**options)


def test_a_number_that_is_no_year_cuts_no_dates() -> None:
    with pytest.raises(InputError, match=r"'day' has dates, but 0\.5 is not a year"):
        recoded(DATES, columns="day", cuts=[0.5])
    with pytest.raises(InputError, match="right_closed does not apply to periods: leave it out"):
        ammg.GlobalRecoding(period="year", right_closed=True)
