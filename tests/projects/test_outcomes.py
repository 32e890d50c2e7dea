"""What one can do with a project returns values, and prints nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ammg
from ammg.errors import InputError
from ammg.projects.assess import assess_project
from ammg.projects.demo import demo
from ammg.projects.mask import mask_project
from ammg.projects.search import beside, search_project


def test_masking_tells_what_it_measured_noted_and_wrote(write, tmp_path: Path, capsys) -> None:
    steps = "methods: [additive_noise: {columns: [wage]}, additive_noise: {columns: [age], where: age > 900}]\n"
    project, data = ammg.Project.open(write(steps + "measures: [frequency]\nlimits: {distance_linkage: 1}\n"))
    outcome = mask_project(project, data, force="nobody is 900")
    assert outcome.written["masked file"] == str(tmp_path / "masked.csv")
    assert list(outcome.evaluation) == ["frequency", "distance_linkage"]
    assert any(note.startswith("additive_noise: ") for note in outcome.notes)
    assert json.loads(json.dumps(outcome.to_dict()))["notes"] == list(outcome.notes)
    assert capsys.readouterr() == ("", "")


def test_assessing_writes_nothing(write, tmp_path: Path) -> None:
    path = write("methods: [additive_noise: {columns: [wage]}]\nmeasures: []\nlimits: {k_anonymity: 0}\n")
    before = set(tmp_path.iterdir())
    outcome = assess_project(ammg.Project.load(path))
    assert set(tmp_path.iterdir()) == before
    assert not outcome.keeps_limits
    assert outcome.to_dict()["reasons"] == list(outcome.evaluation.broken.values())


def test_what_cannot_be_written_is_refused_before_anything_is_computed(write, tmp_path: Path) -> None:
    project, data = ammg.Project.open(write("methods: []\nlimits: {frequency: 1}\n"))
    with pytest.raises(InputError, match="reason to force the release is empty"):
        mask_project(project, data, force=" ")
    with pytest.raises(InputError, match="has no target: add one"):
        mask_project(project.model_copy(update={"target": None}), data)
    with pytest.raises(InputError, match=r"give it the ending \.yaml"):
        search_project(project, data, output=tmp_path / "found.txt")
    (tmp_path / "found.yaml").write_text("my own work", encoding="utf-8")
    with pytest.raises(InputError, match="already exists: choose another name with --output, or overwrite it"):
        search_project(project, data, output=tmp_path / "found.yaml")
    assert (tmp_path / "found.yaml").read_text(encoding="utf-8") == "my own work"
    with pytest.raises(InputError, match="has no limits: add e"):
        search_project(project.model_copy(update={"limits": ()}), data)


def test_a_found_project_goes_beside_the_one_that_was_searched() -> None:
    assert beside(Path("a/survey.yaml")) == Path("a/survey.found.yaml")


def test_the_demonstration_returns_what_it_found(tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file: name a folder"):
        demo(tmp_path / "file")
    outcome = demo(folder, records=500, trials=1)
    assert outcome.keeps_limits == outcome.result.choice.is_safe == ("masked file" in outcome.written)
    assert Path(outcome.written["R-U map"]).exists()
    limits = {"cell_loss(over=worst)", "distance_linkage", "intact_records", "k_anonymity"}
    assert set(outcome.evaluation.limits) == limits
