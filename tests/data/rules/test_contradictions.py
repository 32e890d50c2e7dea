"""Rules that cannot hold together are refused when they are declared."""

import polars as pl
import pytest

import ammg
from ammg.errors import InputError

TABLE = pl.DataFrame({"age": [3, 30, 60], "status": ["single", "married", "widowed"], "sex": ["f", "m", "f"]})


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        (["0 <= age <= 120", "age >= 130"], "together with '0 <= age <= 120' it leaves no value for 'age'"),
        (["status in ('single', 'married', 'widowed')", "age < 15 implies status = 'child'"], "no value for 'status'"),
        (["0 <= age <= 120", "sex = 'x' implies age > 120"], "leaves no value for 'age'"),
        (
            ["age < 5 implies status = 'single'", "age < 2 implies status = 'baby'"],
            "'age < 2 implies status = 'baby'' and 'age < 5 implies status = 'single'' leave no value for 'status'",
        ),
        (
            ["not (sex = 'x' and status = 'y')", "sex = 'x' implies status = 'y'"],
            "something forbidden by 'not \\(sex = 'x' and status = 'y'\\)'",
        ),
        (
            [
                "(sex, status) in (('f', 'single'), ('m', 'married'), ('f', 'widowed'))",
                "status = 'z' implies sex = 'm'",
            ],
            "something not allowed by",
        ),
    ],
)
def test_a_contradiction_is_refused_with_both_rules(rules: list[str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        ammg.Microdata(TABLE).with_rules(*rules)


def test_rules_that_agree_or_never_apply_are_kept() -> None:
    data = ammg.Microdata(TABLE).with_rules(
        "0 <= age <= 120",
        "age <= 110",
        "age < 0 implies status = 'impossible'",
        "age < 15 implies status = 'single'",
        "age < 5 implies status in ('single', 'married')",
        "not (sex = 'm' and status = 'widowed')",
    )
    assert len(data.schema.rules) == 6
