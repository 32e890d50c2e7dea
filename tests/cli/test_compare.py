"""`ammg compare` reads releases with their links, runs projects, and draws the map."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import ammg
from ammg.cli.app import app

PROJECT = """source: survey.parquet
roles: {person_id: identifier, region: key, sex: key, income: confidential}
methods: [{additive_noise: {columns: [income], p: %s}}]
measures: [il1s, rank_interval_disclosure]
target: %s
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table = ammg.datasets.survey(300, seed=1).select("person_id", "region", "sex", "income")
    table.write_parquet(tmp_path / "survey.parquet")
    (tmp_path / "mild.yaml").write_text(PROJECT % (0.1, "mild.csv"))
    (tmp_path / "strong.yaml").write_text(PROJECT % (1.0, "strong.csv"))
    return tmp_path


def test_releases_and_projects_stand_side_by_side(folder: Path) -> None:
    runner = CliRunner()
    assert runner.invoke(app, ["mask", str(folder / "mild.yaml")]).exit_code == 0
    files = [str(folder / "mild.csv"), str(folder / "strong.yaml")]
    run = runner.invoke(
        app, ["compare", str(folder / "mild.yaml"), *files, "--plot", str(folder / "map.svg"), "--json"]
    )
    assert run.exit_code == 0, run.output
    found = json.loads(run.stdout)
    losses = {name: told["measures"]["il1s"]["value"] for name, told in found.items()}
    assert 0 < losses["mild"] < losses["strong"]
    assert losses["the file itself"] == 0
    assert (folder / "map.svg").exists()
    shown = runner.invoke(app, ["compare", str(folder / "mild.yaml"), *files, "--no-references"])
    assert shown.exit_code == 0
    assert "il1s" in shown.stdout
    assert "strong" in shown.stdout
    assert "the file itself" not in shown.stdout


def test_a_release_without_its_link_says_what_cannot_be_measured(folder: Path) -> None:
    runner = CliRunner()
    table = ammg.datasets.survey(300, seed=1).select("region", "sex", "income")
    table.write_csv(folder / "alone.csv")
    run = runner.invoke(app, ["compare", str(folder / "mild.yaml"), str(folder / "alone.csv")])
    assert run.exit_code == 0
    assert "no link between masked and original" in " ".join(run.output.split())
