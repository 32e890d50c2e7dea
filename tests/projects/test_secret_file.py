"""A project names the file of its secret, never the secret."""

from __future__ import annotations

from pathlib import Path

import pytest

import ammg
from ammg.draws import Secret
from ammg.errors import ProjectError
from ammg.projects.assess import assess_project
from ammg.projects.mask import mask_project
from ammg.projects.search import search_project
from ammg.release.provenance import write_secret

NOISE = "methods: [additive_noise: {columns: [age, wage]}]\nmeasures: [il1s]\n"


def released(path: Path, **options: object) -> bytes:
    project, data = ammg.Project.open(path)
    outcome = mask_project(project, data, replace=True, **options)
    return Path(outcome.written["masked file"]).read_bytes()


def test_the_secret_of_the_file_makes_the_release(write, tmp_path: Path) -> None:
    write_secret(Secret.of("mine"), tmp_path / "key")
    path = write(NOISE + "secret_file: key\n")
    assert released(path) == released(path) == released(path, secret=Secret.of("mine"))
    assert released(path) != released(path, secret=Secret.of("another"))
    assert released(write(NOISE, "other.yaml")) != released(path)


def test_a_found_project_masks_to_the_file_that_was_judged(write, tmp_path: Path) -> None:
    limits = "limits: {distance_linkage: 0.9}\nsearch: {trials: 3, steps: 1, methods: [additive_noise]}\n"
    project, data = ammg.Project.open(write(limits))
    (tmp_path / "below").mkdir()
    outcome = search_project(project, data, output=tmp_path / "below" / "found.yaml")
    assert outcome.project.secret_file == "found.secret"
    found = ammg.Project.load(tmp_path / "below" / "found.yaml")
    again = found.pipeline().run(found.read(), ammg.read_secret(tmp_path / "below" / "found.secret"))
    assert again.table.equals(outcome.result.chosen.table)
    assert ammg.read_secret(outcome.written["secret"]).key.hex() not in (tmp_path / "below" / "found.yaml").read_text()
    assert assess_project(found).evaluation.value("distance_linkage") == outcome.result.choice.risks["distance_linkage"]


def test_the_project_beside_a_release_makes_it_again(write, tmp_path: Path) -> None:
    write_secret(Secret.of("mine"), tmp_path / "key")
    first = released(write(NOISE + "secret_file: key\n"))
    assert ammg.Project.load(tmp_path / "masked.csv.project.yaml").secret_file == "key"
    assert released(tmp_path / "masked.csv.project.yaml") == first
    released(write(NOISE + "secret_file: key\n"), secret=Secret.of("another"))
    assert ammg.Project.load(tmp_path / "masked.csv.project.yaml").secret_file is None


@pytest.mark.parametrize(("text", "message"), [(None, "does not exist"), ("", "does not hold a secret")])
def test_a_secret_file_that_is_none_is_a_problem_of_the_project(write, tmp_path: Path, text, message: str) -> None:
    if text is not None:
        (tmp_path / "key").write_text(text)
    path = write(NOISE + "secret_file: key\n")
    with pytest.raises(ProjectError, match=f"secret_file: .*{message}"):
        ammg.Project.load(path)
    project, _ = ammg.Project.open(path, with_secret=False)
    assert project.secret_file == "key"
