"""Rules as people write them."""

from typing import Any

import polars as pl
import pytest

from ammg.data.rules.edits import CombinationRule, ConditionRule, ImplicationRule, RangeRule
from ammg.data.rules.household_sum import HouseholdSum
from ammg.data.rules.linear import LinearRule
from ammg.data.rules.parse import parse_rule
from ammg.errors import InputError

PEOPLE = pl.DataFrame(
    {
        "age": [3, 14, 15, 40, None],
        "status": ["single", "widowed", "married", "single", "widowed"],
        "sex": ["f", "m", "f", "m", "f"],
        "pregnant": [False, False, True, True, None],
        "wages": [0.0, 0.0, 10.0, None, 5.0],
        "income": [0.0, 1.0, 12.0, 4.0, 5.0],
        "employed": ["no", "no", "yes", "no", "yes"],
    }
)


@pytest.mark.parametrize(
    ("given", "kind", "broken"),
    [
        ("age < 15 implies status = 'single'", ImplicationRule, [1]),
        ("if age < 15 then status in ('single', 'married')", ImplicationRule, [1]),
        ({"if": "age < 15", "then": "status = 'single'"}, ImplicationRule, [1]),
        ("employed = 'no' implies wages is missing or wages = 0", ImplicationRule, []),
        ("employed = 'no' implies wages is missing", ImplicationRule, [0, 1]),
        ("wages is not missing implies wages <= income", ImplicationRule, []),
        ("5 <= age <= 39", RangeRule, [0, 3]),
        ("age between 5 and 39", RangeRule, [0, 3]),
        ("-age <= -5", RangeRule, [0]),
        ({"range": {"age": [None, 20]}}, RangeRule, [3]),
        ("wages <= income", LinearRule, []),
        ("income - 2 wages > 0", LinearRule, [0, 2, 4]),
        ("income = wages", LinearRule, [1, 2]),
        ("not (sex = 'm' and pregnant = true)", CombinationRule, [3]),
        ({"forbid": {"sex": "m", "pregnant": True}}, CombinationRule, [3]),
        ({"forbid": [{"sex": "m", "pregnant": True}, {"sex": "f", "pregnant": True}]}, CombinationRule, [2, 3]),
        ({"allow": {"status": ["single", "married"]}}, CombinationRule, [1, 4]),
        ("(sex, employed) in (('f', 'yes'), ('m', 'no'), ('f', 'no'))", CombinationRule, []),
        ({"allow": [{"sex": "f", "employed": ["yes", "no"]}]}, CombinationRule, [1, 3]),
        ("status not in ('widowed')", CombinationRule, [1, 4]),
        ("sex = 'f' or pregnant = false", ConditionRule, [3]),
        ("status != 'single' or age != 40", ConditionRule, [3]),
    ],
)
def test_a_rule_says_which_records_break_it_whatever_its_form(given: Any, kind: type, broken: list[int]) -> None:
    rule = parse_rule(given)
    assert isinstance(rule, kind)
    assert [int(i) for i in rule.check(PEOPLE).nonzero()[0]] == broken
    again = parse_rule(rule.text)  # what a rule writes is what it reads
    assert again == rule
    assert again.columns == rule.columns


def test_names_with_blanks_and_values_with_quotes_are_written_so_that_they_are_read_again() -> None:
    rule = parse_rule({"forbid": {"marital status": "it's over", "and": 3}})
    assert rule.text == "(\"marital status\", \"and\") not in (('it''s over', 3))"
    assert parse_rule(rule.text) == rule


def test_a_household_sum_takes_the_household_from_the_roles_or_from_its_text() -> None:
    rule = HouseholdSum.of("total", "income", "home")
    assert parse_rule("total = sum of income", household="home") == rule
    assert parse_rule("total = sum of income by home") == rule
    assert parse_rule({"household_sum": {"total": "total", "of": "income"}}, household="home") == rule
    with pytest.raises(InputError, match="needs the household identifier"):
        parse_rule("total = sum of income")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("age", "needs a comparison after 'age'"),
        ("age < 15 implies", "needs a column or a value before the end"),
        ("if age < 15", "needs 'then' before the end"),
        ("age < 15 or status", "needs a comparison after"),
        ("age between 3", "needs 'and' before the end"),
        ("age in 3", "needs '\\(' before '3'"),
        ("(a, b) in ((1, 2, 3))", "3 values are given for 2 columns"),
        ("'a' = 'b'", "does not name a column"),
        ("a + b = 'x'", "compares a sum with 'x'"),
        ("age # 3", "'# 3' is not understood"),
        ("120 <= age <= 0", "leaves no value for 'age': 120 is above 0"),
        ({"range": {"age": [120, 0]}}, "leaves no value for 'age'"),
        ({"range": {"age": 3}}, "two numbers"),
        ({"alow": {"age": 3}}, "Did you mean 'allow'?"),
        ({"if": "age < 3"}, "is not understood"),
        ({"forbid": []}, "needs columns with their values"),
        ({"allow": [{"a": 1}, {"b": 1}]}, "combines different columns"),
        (3, "neither text nor a mapping"),
    ],
)
def test_what_cannot_be_read_is_named(given: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        parse_rule(given)
