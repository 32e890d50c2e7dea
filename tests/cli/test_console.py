import json
import re
from pathlib import Path

import pytest

import ammg
from ammg.cli.console import evaluation_lines, out, progress, say_error, say_json, say_text


def test_an_error_is_never_taken_for_markup(capsys: pytest.CaptureFixture[str]) -> None:
    say_error("Column '[bold]' not found.")
    assert capsys.readouterr().err == "error: Column '[bold]' not found.\n"


def test_values_for_machines_are_json(capsys: pytest.CaptureFixture[str]) -> None:
    say_json({"ä": [1, None]})
    assert json.loads(capsys.readouterr().out) == {"ä": [1, None]}


def test_progress_in_a_log_is_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = iter([0.0, 1.0, 11.0, 11.0, 12.0])
    monkeypatch.setattr("ammg.cli.console.monotonic", lambda: next(seconds))
    with progress("masking") as report:
        for done in (0.5, 1, 1.5):
            report(done, 2, "rounding")
    assert capsys.readouterr().err == "masking rounding: 1 of 2\n"


def test_progress_is_silent_beside_json(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("masking", quiet=True) as report:
        report(1, 2, "rounding")
    assert capsys.readouterr().err == ""


def test_risk_and_loss_fit_80_columns_with_whole_words(patients: ammg.Microdata) -> None:
    measures = [
        ammg.KAnonymity(k=3),
        ammg.KAnonymity(k=10, missing="category"),
        "deviation_interval_disclosure",
        "il1s",
    ]
    masked = ammg.Pipeline([ammg.RankSwapping(columns=["Age"], p=50)]).run(patients, 1)
    evaluation = ammg.evaluate(masked, measures, limits={"distance_linkage": 0.05})
    lines = list(evaluation_lines(evaluation, 80))
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    assert all(label in text for label in evaluation)
    sentences = [line for line in lines if line.startswith("      ")]
    assert max(map(len, sentences)) > 60  # no column of single words
    assert "5 %" in next(line for line in lines if "distance_linkage" in line)


@pytest.mark.parametrize("command", [["methods"], ["measures"], ["methods", "mdav"], ["inspect", "survey.csv"]])
def test_nothing_runs_off_80_columns(run, command, tmp_path, monkeypatch) -> None:
    ammg.datasets.survey(300).write_csv(tmp_path / "survey.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    lines = run(*command).out.splitlines()
    assert max(map(len, lines)) <= 80, max(lines, key=len)
    assert sum(len(line.split()) == 1 for line in lines) <= len(lines) / 2


def test_control_characters_of_names_show_and_do_not_act(run, tmp_path: Path) -> None:
    evil = "\x1b]0;owned\x07\x1b[31mred\u202etxt\x9b2J"
    rows = ",".join(["id", evil]) + "\n" + "".join(f"{i},{i % 7}\n" for i in range(60))
    (tmp_path / "a.csv").write_text(rows, encoding="utf-8")
    (tmp_path / "p.yaml").write_text(
        f"source: a.csv\nroles: {json.dumps({evil: 'nonsense', 'id': 'identifier'})}\n", encoding="utf-8"
    )
    for arguments in (("inspect", "a.csv"), ("inspect", "a.csv", "--json"), ("mask", "p.yaml")):
        ended = run(arguments[0], tmp_path / arguments[1], *arguments[2:])
        shown = ended.out + ended.err
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", shown)
        assert "red" in shown
    told = json.loads(run("inspect", tmp_path / "a.csv", "--json").out)
    assert evil in [attribute["name"] for attribute in told["attributes"]]


def test_a_line_that_is_too_long_goes_on_at_its_own_indentation(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(out, "width", 20)
    say_text("[b]\n\n    Suppress single key values")
    assert capsys.readouterr().out == "[b]\n\n    Suppress single\n    key values\n"
