"""What must survive is checked like a limit: by evaluate, by a project, by the search."""

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

import ammg
from ammg.cli.app import app
from ammg.errors import InputError, ProjectError

SENTENCES = [
    "mean income by region within 2 %",
    "total wages within 0 %",
    "quantile 0.9 income within 5 %",
    "count by region within 1 %",
    "median age where sex = 'f' within 10 %",
]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_reads_back_as_it_is_written(sentence: str) -> None:
    assert str(ammg.Survive.read(sentence)) == sentence


def test_a_sentence_names_statistic_attribute_groups_and_tolerance() -> None:
    found = ammg.Survive.read("mean of income by region within 0.02")
    assert found.measure == ammg.StatisticChange(statistic="mean", of="income", by="region")
    assert found.within == 0.02
    assert found == ammg.Survive.read({"mean": "income", "by": "region", "within": "2 %"})
    assert found == ammg.Survive.read({"statistic": "mean", "of": "income", "by": "region", "within": 0.02})


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("mean income", "cannot be read: write what must survive like"),
        ("meen income within 2 %", "'meen' is not a statistic that can survive. Did you mean 'mean'"),
        ({"mean": "income"}, "The tolerance is None"),
        ({"within": 0.1}, "does not name one statistic"),
        (3, "3 does not say what must survive"),
    ],
)
def test_what_cannot_be_read_is_a_sentence(wrong: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ammg.Survive.read(wrong)


def test_evaluate_judges_by_it(survey: ammg.Microdata) -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["income"], p=0.5, below_zero="allow")]).run(survey, 1)
    kept = ammg.evaluate(masked, [], survive="mean income within 10 %")
    assert not kept.broken
    broken = ammg.evaluate(masked, [], survive=["mean income within 10 %", "variance income within 1 %"]).broken
    assert list(broken) == ["statistic_change(statistic=variance, of=income)"]


def test_the_search_keeps_what_must_survive(survey: ammg.Microdata) -> None:
    methods = ["additive_noise", "rank_swapping"]
    found = ammg.search(
        survey,
        {"rank_interval_disclosure": 0.9},
        "il1s",
        trials=8,
        methods=methods,
        secret=1,
        survive="variance income within 0.1 %",
    )
    if found.choice.is_safe:
        assert ammg.evaluate(found.chosen, [], survive="variance income within 0.1 %").broken == {}
    assert any("statistic_change" in label for label in found.limits)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    ammg.datasets.survey(300, seed=1).select("person_id", "region", "income").write_parquet(tmp_path / "survey.parquet")
    path = tmp_path / "project.yaml"
    path.write_text(
        "source: survey.parquet\nroles: {person_id: identifier, region: key, income: confidential}\n"
        "methods: [{additive_noise: {columns: [income], p: 0.5}}]\nmeasures: [il1s]\n"
        "survive: [variance income by region within 1 %, {mean: income, within: 50 %}]\ntarget: out.csv\n"
    )
    return path


def test_a_project_is_judged_by_what_must_survive(project: Path) -> None:
    run = CliRunner().invoke(app, ["mask", str(project)])
    assert run.exit_code == 1
    assert not (project.parent / "out.csv").exists()
    assert "statistic_change" in run.output
    project.write_text(project.read_text().replace("by region within 1 %", "within 500 %"))
    assert CliRunner().invoke(app, ["mask", str(project)]).exit_code == 0
    assert pl.read_csv(project.parent / "out.csv").height == 300


def test_a_project_writes_it_as_sentences(project: Path) -> None:
    plan = ammg.Project.load(project)
    written = plan.to_yaml()
    assert "variance income by region within 1 %" in written
    assert "mean income within 50 %" in written


def test_wrong_entries_of_a_project_are_reported_together(project: Path) -> None:
    project.write_text(project.read_text().replace("variance income by region", "meen income by regoin"))
    with pytest.raises(ProjectError, match=r"survive\[1\].*'meen' is not a statistic"):
        ammg.Project.open(project)
    project.write_text(project.read_text().replace("meen", "mean"))
    with pytest.raises(ProjectError, match=r"survive\[1\].*'regoin' not found"):
        ammg.Project.open(project)
