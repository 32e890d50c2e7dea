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


RECODED = """source: survey.parquet
roles: {person_id: identifier, region: key, age: key, income: confidential}
methods: [{global_recoding: {columns: [age], cuts: [30, 60]}}]
measures: [distance_linkage, cell_loss]
target: recoded.csv
"""


def test_a_release_has_the_risk_of_the_project_that_made_it(tmp_path: Path) -> None:
    table = ammg.datasets.survey(300, seed=1).select("person_id", "region", "age", "income")
    table.write_parquet(tmp_path / "survey.parquet")
    (tmp_path / "recoded.yaml").write_text(RECODED)
    runner, project = CliRunner(), str(tmp_path / "recoded.yaml")
    assert runner.invoke(app, ["mask", project]).exit_code == 0
    release = tmp_path / "recoded.csv"

    def compared() -> tuple[list[float], str]:
        run = runner.invoke(app, ["compare", project, str(release), project, "--json", "--no-references"])
        risks = [told["measures"]["distance_linkage"]["value"] for told in json.loads(run.stdout).values()]
        shown = runner.invoke(app, ["compare", project, str(release), "--no-references"])
        return risks, " ".join(shown.output.split())

    risks, shown = compared()
    assert risks[0] == risks[1]
    assert "may be higher" not in shown
    release.write_text(release.read_text() + "\n")  # another file than the one that was released
    assert "how this file was made is not known, so its risk may be higher than shown" in compared()[1]


def test_a_release_without_its_link_says_what_cannot_be_measured(folder: Path) -> None:
    runner = CliRunner()
    table = ammg.datasets.survey(300, seed=1).select("region", "sex", "income")
    table.write_csv(folder / "alone.csv")
    run = runner.invoke(app, ["compare", str(folder / "mild.yaml"), str(folder / "alone.csv")])
    assert run.exit_code == 0
    assert "no link between masked and original" in " ".join(run.output.split())
