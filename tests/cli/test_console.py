import json

import pytest

from ammg.cli.console import progress, say_error, say_json


def test_an_error_is_never_taken_for_markup(capsys: pytest.CaptureFixture[str]) -> None:
    say_error("Column '[bold]' not found.")
    assert capsys.readouterr().err == "error: Column '[bold]' not found.\n"


def test_values_for_machines_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    say_json({"ä": [1, None]})
    assert json.loads(capsys.readouterr().out) == {"ä": [1, None]}


def test_progress_is_silent_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("masking") as report:
        report(1, 2, "rounding")
    assert capsys.readouterr().err == ""
