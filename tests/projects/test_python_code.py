"""A project as Python does what the project file does."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import ammg
from ammg.draws import Secret
from ammg.projects.assess import mask_and_measure
from ammg.projects.python_code import as_python

TEXT = """
levels: {region: person}
kinds: {age: integer}
missing_codes: {age: {99: unknown}}
hierarchies: {age: "by widths 10, 20", region: {N: [top, all], S: [rest, all], W: [rest, all]}}
rules: ["age >= 18"]
scenario: {known: [region, age], inclusion: 0.5}
methods:
  - microaggregation: {columns: [wage], k: 5}
  - {sampling: {fraction: 0.5}, skip: true}
  - global_recoding: {columns: [age], level: 1}
  - pram: {columns: [region], stay: 0.8, where: "wage > 20000"}
measures: [{k_anonymity: {k: 3}}, il1s]
limits: [{k_anonymity: {k: 3}, at_most: 0.5}]
survive: [mean wage within 50 %]
goal: {mode: laboratory}
"""


def ran(code: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    exec(compile(code, "as_python", "exec"), names)
    return names


def test_the_program_makes_the_same_file_and_the_same_evaluation(write, monkeypatch, capsys):
    path = write(TEXT + "secret_file: s.secret\n")
    (path.parent / "s.secret").write_text("7" * 64, encoding="utf-8")
    project, data = ammg.Project.open(path)
    made = ran(as_python(project), path.parent, monkeypatch)
    masked, evaluation = mask_and_measure(project, data, project.secret())
    assert made["masked"].table.equals(masked.table)
    assert made["evaluation"].to_dict() == evaluation.to_dict()
    assert (path.parent / "masked.csv").exists()
    assert "sampling" not in as_python(project).lower()
    assert "k_anonymity" in capsys.readouterr().out


def test_files_that_a_project_names_are_read_by_the_program(write, monkeypatch):
    path = write(
        "hierarchies: {region: region.yaml}\nscenario: {external: {path: voters.csv, match: region}}\n"
        "methods: [{global_recoding: {columns: [region], level: 1}}]\nmeasures: [k_anonymity]\norder: records\n"
    )
    (path.parent / "region.yaml").write_text("all: {top: [N], rest: [S, W]}\n", encoding="utf-8")
    pl.DataFrame({"region": ["N", "S"], "age": [30, 40]}).write_csv(path.parent / "voters.csv")
    project, data = ammg.Project.open(path)
    made = ran(as_python(project), path.parent, monkeypatch)
    assert made["masked"].table.equals(project.pipeline().run(data, Secret(bytes(32))).table)
    assert made["scenario"].external.data.columns == ["region", "age"]


def test_no_password_is_in_the_program():
    project = ammg.Project(source={"path": "postgresql://me:hush@server/base", "table": "people"})
    assert "hush" not in as_python(project)
    assert "AMMG_SOURCE_PASSWORD" in as_python(project)
