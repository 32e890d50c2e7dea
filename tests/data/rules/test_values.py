"""A rule says the same of a frame and of the block that is made of it."""

from datetime import date

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.rules.parse import parse_rule
from ammg.data.rules.values import Values

TABLE = pl.DataFrame(
    {
        "age": [3, 14, None, 40],
        "band": pl.Series(["low", "high", "middle", None], dtype=pl.Enum(["low", "middle", "high"])),
        "sex": ["f", "m", None, "m"],
        "code": [1, 2, 2, 3],
        "born": [date(2020, 1, 1), date(2009, 5, 5), date(1999, 1, 1), None],
        "works": [True, False, None, True],
        "home": ["x", "x", "y", "z"],
        "total": [17, 17, 0, 41],
    }
)


@pytest.mark.parametrize(
    "text",
    [
        "age < 15 implies sex = 'f'",
        "band <= 'middle'",
        "band = 'high' implies works = true",
        "code in (1, 3)",
        "code != 2 or sex = 'f'",
        "born >= '2009-05-05'",
        "works = false or age <= 3",
        "2 age + code <= 30",
        "total = sum of age by home",
    ],
)
def test_frame_and_block_are_checked_alike(text: str) -> None:
    data = ammg.Microdata(TABLE).with_kinds(ordinal="band", nominal="code")
    rule = parse_rule(text)
    broken = rule.check(TABLE)
    assert broken.any()
    assert not broken.all()
    np.testing.assert_array_equal(rule.check(data.block(TABLE.columns)), broken)


def test_missing_values_break_nothing() -> None:
    nothing = TABLE.with_columns(pl.lit(None, dtype=dtype).alias(name) for name, dtype in TABLE.schema.items())
    for text in ("age = 3", "0 <= age <= 1", "sex = 'f' implies age > 99", "band in ('low')", "age = 2 code"):
        assert not parse_rule(text).check(nothing).any()


def test_a_number_that_became_a_category_counts_as_missing() -> None:
    recoded = TABLE.with_columns(age=pl.lit("0-19"))
    assert not parse_rule("sex = 'm' implies age >= 20").check(recoded).any()
    assert np.isnan(Values(recoded).numbers("age")).all()


def test_a_column_that_is_gone_leaves_nothing_to_break() -> None:
    assert not parse_rule("age < 0 implies lost = 'x'").check(TABLE).any()
