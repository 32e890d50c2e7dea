import json
from io import StringIO

import pytest
from rich.console import Console

import ammg
from ammg.cli.console import evaluation_table, progress, say_error, say_json


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


def test_names_of_measures_are_whole_on_a_narrow_terminal(patients: ammg.Microdata) -> None:
    evaluation = ammg.evaluate(ammg.Pipeline([ammg.RankSwapping(columns=["Age"], p=50)]).run(patients, 1))
    console = Console(width=80, record=True, file=StringIO())
    console.print(evaluation_table(evaluation, {"distance_linkage": 0.05}))
    lines = console.export_text().splitlines()
    assert max(map(len, lines)) <= 80
    assert set(evaluation.after) <= {word for line in lines for word in line.split()}
