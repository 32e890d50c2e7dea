"""Errors are one clear sentence: what is wrong, the value, what to do."""

import pytest

from ammg.errors import AmmgError, ColumnError, InputError, NotDefined, ProjectError, did_you_mean


def test_a_near_miss_is_suggested_whatever_its_case() -> None:
    assert did_you_mean("agee", ["age", "sex"]) == " Did you mean 'age'?"
    assert did_you_mean("AGE", ["Age", "sex"]) == " Did you mean 'Age'?"


def test_what_there_is_is_listed_when_nothing_is_near() -> None:
    assert did_you_mean("income", ["age", "sex"]) == " There is: age, sex."
    assert did_you_mean("income", []) == " There is none."


def test_a_long_list_is_cut_after_ten() -> None:
    assert did_you_mean("?", [f"c{i}" for i in range(12)]).endswith("c9, ….")


def test_a_column_error_shows_its_message_and_not_its_representation() -> None:
    assert str(ColumnError("Column 'x' not found.")) == "Column 'x' not found."


@pytest.mark.parametrize("error", [InputError("a"), ColumnError("a"), NotDefined("a"), ProjectError("a", ["b"])])
def test_every_error_has_one_root(error: Exception) -> None:
    assert isinstance(error, AmmgError)
    assert isinstance(error, ValueError | KeyError)


def test_a_project_error_reports_all_problems() -> None:
    assert str(ProjectError("p.yaml", ["one", "two"])) == "p.yaml has 2 problems:\n  - one\n  - two"
    assert str(ProjectError("p.yaml", ["one"])).startswith("p.yaml has 1 problem:")
