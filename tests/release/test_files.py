"""No release shares its secret's place with another, and none is replaced unless somebody says so."""

from pathlib import Path

import pytest

import ammg
from ammg.errors import InputError
from ammg.io.urls import hidden
from ammg.projects.mask import mask_project
from ammg.release.files import Beside, check_beside
from ammg.release.lock import lock_of_url, only_writer

PROJECT = """
source: {source}
roles: {{Name: identifier, SSN: identifier, Age: key, State: key, Diagnosis: confidential, Income: confidential}}
methods: [global_recoding: {{columns: [Age], cuts: [40, 50]}}, rare_category_recoding: {{columns: [State], keep: 1}}]
measures: [frequency]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ammg.Project:
    monkeypatch.chdir(tmp_path)
    ammg.datasets.patients().write_csv("patients.csv")
    Path("project.yaml").write_text(PROJECT.format(source="patients.csv"), encoding="utf-8")
    return ammg.Project.load("project.yaml")


def secrets(folder: Path) -> dict[str, str]:
    return {path.parent.name: path.read_text() for path in folder.glob("*.private*/secret")}


def test_every_target_has_a_private_folder_of_its_own(project: ammg.Project, tmp_path: Path) -> None:
    for target in ("m.parquet", "m.csv", "m.sav", "sqlite:///r.db?table=rel_a", "sqlite:///r.db?table=rel_b"):
        mask_project(project, target=target)
    kept = secrets(tmp_path)
    names = ("m.parquet", "m.csv", "m.sav", "r.db.rel_a", "r.db.rel_b")
    assert set(kept) == {f"{name}.private" for name in names}
    assert len(set(kept.values())) == 5
    assert all((tmp_path / f"{name}.project.yaml").exists() for name in names)


def test_a_release_is_not_replaced_unless_somebody_says_so(project: ammg.Project, tmp_path: Path) -> None:
    mask_project(project, target="m.csv")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    first = secrets(tmp_path)["m.csv.private"]
    with pytest.raises(InputError, match=r"m\.csv\.private' holds the secret and the link of an earlier release"):
        mask_project(project, target="m.csv")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before
    mask_project(project, target="m.csv", replace=True)
    kept = secrets(tmp_path)
    assert kept["m.csv.private.1"] == first != kept["m.csv.private"]


def test_a_file_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("mine")
    with pytest.raises(InputError, match=r"m\.csv' exists: choose another target, or replace it"):
        check_beside(str(tmp_path / "m.csv"))
    check_beside(str(tmp_path / "m.csv"), replace=True)


def test_a_private_folder_behind_a_link_is_kept(project: ammg.Project, tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "secret").write_text("old")
    (tmp_path / "m.csv.private").symlink_to("vault")
    with pytest.raises(InputError, match="holds the secret"):
        mask_project(project, target="m.csv")
    mask_project(project, target="m.csv", replace=True)
    assert (tmp_path / "m.csv.private.1").is_symlink()
    assert secrets(tmp_path)["m.csv.private.1"] == "old"


def test_the_second_of_two_writers_of_a_table_is_refused(project: ammg.Project, tmp_path: Path) -> None:
    target = f"sqlite:///{tmp_path}/r.db?table=t"
    refused = pytest.raises(InputError, match="is being written by another process")
    with only_writer(lock_of_url(target), target), refused:
        mask_project(project, target=target)
    mask_project(project, target=target)
    assert set(secrets(tmp_path)) == {"r.db.t.private"}


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("a/m.csv", "a/m.csv"),
        ("postgresql://u:p@host/db?table=study.patients", "db.study.patients"),
        ("sqlite:////data/r.db?table=a/b c", "r.db.a_b_c"),
        ("hdfs://node/folder/m.parquet", "m.parquet"),
    ],
)
def test_names_are_made_from_the_whole_target(target: str, name: str) -> None:
    assert Beside.of(target).private == Path(f"{name}.private")


def test_a_table_without_a_name_is_refused_before_anything_is_computed(project: ammg.Project) -> None:
    with pytest.raises(InputError, match="Name the table to write to"):
        mask_project(project, target="sqlite:///r.db")


@pytest.mark.filterwarnings("ignore:Query string argument")  # SQLite has no passwords
def test_passwords_are_in_no_file_and_in_nothing_that_is_shown(project: ammg.Project, tmp_path: Path) -> None:
    outcome = mask_project(project, target="sqlite:///r.db?table=t&password=hunter2")
    assert outcome.written["masked file"] == "sqlite:///r.db?table=t&password=***"
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert b"hunter2" not in path.read_bytes(), path
    assert "password=${AMMG_TARGET_PASSWORD}" in (tmp_path / "r.db.t.project.yaml").read_text()
    assert hidden(outcome.written["masked file"]) == outcome.written["masked file"]
