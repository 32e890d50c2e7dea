"""`ammg inspect` shows what is in a file."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ammg.cli.app import app
from ammg.datasets import PATIENT_ROLES, SURVEY_ROLES, patients, survey
from ammg.errors import InputError


def test_inspect_shows_roles_reasons_and_distributions(tmp_path: Path) -> None:
    survey(2_000).write_parquet(tmp_path / "survey.parquet")
    done = CliRunner().invoke(app, ["inspect", str(tmp_path / "survey.parquet")], catch_exceptions=False)
    assert done.exit_code == 0
    assert "identifies households of" in done.stdout
    assert "income = wages + self_employment" in done.stdout
    assert "█" in done.stdout


def test_inspect_speaks_json(tmp_path: Path) -> None:
    patients().write_csv(tmp_path / "patients.csv")
    done = CliRunner().invoke(app, ["inspect", str(tmp_path / "patients.csv"), "--json"], catch_exceptions=False)
    roles = {attribute["name"]: attribute["role"] for attribute in json.loads(done.stdout)["attributes"]}
    assert roles == PATIENT_ROLES


def test_a_file_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        CliRunner().invoke(app, ["inspect", str(tmp_path / "none.csv")], catch_exceptions=False)


def test_all_columns_of_the_survey_are_shown(tmp_path: Path) -> None:
    survey(500).write_parquet(tmp_path / "survey.parquet")
    shown = CliRunner().invoke(app, ["inspect", str(tmp_path / "survey.parquet")]).stdout
    assert all(f"\n{name} " in shown for name in SURVEY_ROLES)
