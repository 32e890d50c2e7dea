import json
from pathlib import Path

import pytest


def limited(project: Path, limit: float) -> Path:
    project.write_text(
        project.read_text(encoding="utf-8") + f"limits: {{distance_linkage: {limit}}}\n", encoding="utf-8"
    )
    return project


def test_risk_and_loss_are_shown_and_nothing_is_written(run, project: Path) -> None:
    ended = run("assess", project)
    assert ended.code == 0
    assert "10 records before, 8 after" in ended.out
    assert "frequency" in ended.out
    assert {path.name for path in project.parent.iterdir()} == {"patients.csv", "project.yaml"}


@pytest.mark.parametrize(("limit", "code"), [(0.99, 0), (0.0001, 1)])
def test_a_limit_that_is_not_kept_is_exit_code_1(run, project: Path, limit: float, code: int) -> None:
    ended = run("assess", limited(project, limit))
    assert ended.code == code
    assert ("the limit is 0.0001" in ended.out) == (code == 1)


def test_the_secret_of_a_release_assesses_that_release(run, project: Path, tmp_path: Path) -> None:
    noise = project.read_text(encoding="utf-8").replace(
        "sampling: {fraction: 0.8}", "additive_noise: {columns: [Income]}"
    )
    project.write_text(noise, encoding="utf-8")
    assert run("mask", project).code == 0
    secret = tmp_path / "masked.csv.private" / "secret"
    kept = json.loads((tmp_path / "masked.csv.private" / "evaluation.json").read_text(encoding="utf-8"))
    found = json.loads(run("assess", project, "--secret", secret, "--json").out)
    assert found["measures"]["il1s"]["value"] == kept["measures"]["il1s"]["value"]
    assert json.loads(run("assess", project, "--json").out)["measures"]["il1s"] != found["measures"]["il1s"]


def test_a_slow_measure_is_named_before_it_starts(run, project: Path) -> None:
    slow = project.read_text(encoding="utf-8").replace("measures: [frequency, il1s]", "measures: [log_linear_risk]")
    project.write_text(slow, encoding="utf-8")
    ended = run("assess", project)
    notes = ended.err.splitlines()
    assert any(note.startswith("note: log_linear_risk can take minutes: it fits a model") for note in notes[:2])


def test_json_says_what_was_missed(run, project: Path) -> None:
    ended = run("assess", limited(project, 0.0001), "--json")
    assert ended.code == 1
    assert json.loads(ended.out)["missed"] == {"distance_linkage": 0.0001}


def test_an_external_file_without_a_common_attribute_is_no_worst_case_and_says_why(run, project: Path) -> None:
    people = (project.parent / "patients.csv").read_text(encoding="utf-8").splitlines()
    held = ["SSN,shoe_size", *(f"{line.split(',')[1]},40" for line in people[1:])]
    (project.parent / "held.csv").write_text("\n".join(held), encoding="utf-8")
    text = project.read_text(encoding="utf-8").split("measures:")[0]
    scenario = "scenario: {external: {path: held.csv, match: SSN}}\nmeasures: [worst_case]\n"
    project.write_text(text + scenario, encoding="utf-8")
    ended = run("assess", project)
    assert "%" not in ended.out
    assert "Not defined: the external file" in " ".join(ended.out.split())


def test_a_missing_project_is_exit_code_2(run, tmp_path: Path) -> None:
    ended = run("assess", tmp_path / "none.yaml")
    assert ended.code == 2
    assert "does not exist" in ended.err
