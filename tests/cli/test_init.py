"""`ammg init` writes a project file to start from."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from ammg import Project
from ammg.cli.app import app
from ammg.datasets import PATIENT_ROLES, patients
from ammg.errors import InputError


def init(*arguments: object) -> None:
    assert CliRunner().invoke(app, ["init", *map(str, arguments)], catch_exceptions=False).exit_code == 0


def test_the_project_file_stands_beside_the_data_and_loads(tmp_path: Path) -> None:
    patients().write_csv(tmp_path / "patients.csv")
    init(tmp_path / "patients.csv")
    project = Project.load(tmp_path / "patients.yaml")
    assert project.roles == PATIENT_ROLES
    assert project.methods == ()


def test_the_source_is_found_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    patients().write_csv(tmp_path / "patients.csv")
    init(tmp_path / "patients.csv", tmp_path / "projects" / "first.yaml")
    assert Project.load(tmp_path / "projects" / "first.yaml").read().columns == list(PATIENT_ROLES)


def test_the_sums_that_were_found_are_declared(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    wages, rents = rng.lognormal(8, 1, (2, 500)).round(2)
    pl.DataFrame({"total income": wages + 0.5 * rents, "wages": wages, "rents": rents}).write_csv(tmp_path / "in.csv")
    init(tmp_path / "in.csv")
    project, data = Project.open(tmp_path / "in.yaml")
    assert project.rules == ('"total income" = wages + 0.5 × rents',)
    assert data.schema.identities[0].broken == 0


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    patients().write_csv(tmp_path / "patients.csv")
    (tmp_path / "patients.yaml").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="not overwritten"):
        init(tmp_path / "patients.csv")
    assert (tmp_path / "patients.yaml").read_text(encoding="utf-8") == "mine"


def test_the_commands_to_go_on_with_stand_in_lines_of_their_own(tmp_path: Path, run, monkeypatch) -> None:
    patients().write_csv(tmp_path / "patients.csv")
    monkeypatch.setenv("COLUMNS", "40")
    said = run("init", tmp_path / "patients.csv").out.splitlines()
    assert f"  ammg search {tmp_path / 'patients.yaml'} --mode public" in said
    assert f"  ammg mask {tmp_path / 'patients.yaml'}" in said
