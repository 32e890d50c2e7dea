"""Hierarchies by rule: one line for each kind of builder."""

from __future__ import annotations

from datetime import date

import polars as pl
import pytest

import ammg
from ammg.data.hierarchy_rules import built
from ammg.errors import InputError


@pytest.mark.parametrize(
    ("rule", "values", "row"),
    [
        ("by widths 5, 10, 20", [34, 61], ("34", "30-34", "30-39", "20-39", "*")),
        ("by widths 5, 10 from 15 to 60", [3, 61], ("3", "< 15", "< 15", "*")),
        ("by cuts 18, 30, 65; 30", [20, 70], ("20", "[18, 30)", "< 30", "*")),
        ("by equal widths 4, 2", [0, 10, 40], ("0", "< 10", "< 20", "*")),
        ("by equal counts 2", [1, 2, 3, 4], ("1", "< 2", "*")),
        ("by prefix 2, 1", ["4711", "4722"], ("4711", "47**", "4***", "*")),
        ("by prefix", ["A1", "B2"], ("A1", "A*", "*")),
        ("by calendar", [date(2001, 5, 3)], ("2001-05-03", "2001-05", "2001 Q2", "2001", "2000s", "*")),
        ("by runs 2", ["low", "mid", "high"], ("low", "low to mid", "*")),
        ("by frequency 1", ["a", "b", "c"], ("a", "a", "*")),
    ],
)
def test_a_line_makes_a_hierarchy(rule: str, values: list[object], row: tuple[str, ...]) -> None:
    assert built(rule, values, [9, *[1] * (len(values) - 1)]).rows[0] == row


@pytest.mark.parametrize(
    ("rule", "values", "said"),
    [
        ("by width 5", [1], "not a rule for a hierarchy. Did you mean 'widths'"),
        ("by widths five", [1], "write numbers separated by commas"),
        ("by widths 5, 7", [1], "7 is not a multiple of 5"),
        ("by widths 5", ["Ohio"], "is for numbers, and 'Ohio' is not a number"),
        ("by calendar", ["May"], "is for dates, and 'May' is not a date"),
        ("by runs 2 from 5", ["a", "b"], "only `by widths` can have open ends"),
    ],
)
def test_a_line_that_makes_no_sense_is_refused(rule: str, values: list[object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        built(rule, values, [1] * len(values))


def test_a_level_is_previewed_with_labels_and_records() -> None:
    table = pl.DataFrame({"age": [31, 34, 35, None, 52]})
    data = ammg.Microdata(table).with_hierarchies(age="by widths 5, 10")
    assert data.preview("age", 1) == {"30-34": 2, "35-39": 1, "50-54": 1}
    assert data.preview("age", 3) == {"*": 4}


def test_a_stream_is_counted_chunk_by_chunk(tmp_path) -> None:  # type: ignore[no-untyped-def]
    table = pl.DataFrame({"age": [20 + i % 40 for i in range(70_000)]})
    table.write_parquet(tmp_path / "ages.parquet")
    data = ammg.read(tmp_path / "ages.parquet", stream=True).with_hierarchies(age="by widths 20")
    assert data.preview("age", 1) == {"20-39": 35_000, "40-59": 35_000}


def test_a_category_that_no_record_has_gets_its_place() -> None:
    towns = pl.Series("town", ["a", "a", "b", "c"], dtype=pl.Enum(["a", "b", "c", "d"]))
    data = ammg.Microdata(pl.DataFrame([towns])).with_roles(key="town").with_hierarchies(town="by frequency 2")
    hierarchy = data.schema["town"].hierarchy
    assert hierarchy is not None
    assert set(hierarchy.level(1)) == {"a", "b", "c", "d"}


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("by widths 0", "above 0"),
        ("by widths -5", "above 0"),
        ("by widths inf", "finite"),
        ("by widths 5 from nan", "finite"),
        ("by runs inf", "finite"),
        ("by equal widths -4", "1 to 1,000,000"),
        ("by equal counts 300000000", "1 to 1,000,000"),
        ("by runs 0.5", "1 to 1,000,000"),
    ],
)
def test_a_number_that_no_hierarchy_can_have_is_refused(rule: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        built(rule, [31, 33], [1, 1])
