"""The goal of a search in a project file."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import ammg
from ammg.draws import Secret
from ammg.errors import ProjectError
from ammg.optimizer.modes import MODES
from ammg.projects.assess import assess_project
from ammg.projects.compare import compare_project
from ammg.projects.mask import mask_project
from ammg.projects.project import Project
from ammg.projects.search import search_project

HEAD = """
source: people.csv
roles: {age: key, town: key, income: confidential}
methods: []
"""


def project(folder: Path, text: str) -> Path:
    table = pl.DataFrame(
        {
            "age": [20 + n % 40 for n in range(400)],
            "town": ["abcd"[n // 7 % 4] for n in range(400)],
            "income": [1000 + 13 * n for n in range(400)],
        }
    )
    table.write_csv(folder / "people.csv")
    (folder / "project.yaml").write_text(HEAD + text)
    return folder / "project.yaml"


def test_a_goal_is_read_and_written(tmp_path: Path) -> None:
    text = "goal: {mode: public, minimise: cell_loss, survive: [mean income within 2 %], untouched: [income]}"
    read, _ = Project.open(project(tmp_path, text))
    (tmp_path / "again.yaml").write_text(read.to_yaml())
    again, _ = Project.open(tmp_path / "again.yaml")
    assert again.goal == read.goal
    assert [limit.measure.name for limit in again.judged_by] == [
        "distance_linkage",
        "k_anonymity",
        "statistic_change",
    ]


def test_a_limit_of_the_project_stands_before_that_of_the_mode(tmp_path: Path) -> None:
    read, _ = Project.open(project(tmp_path, "goal: {mode: public}\nlimits: {distance_linkage: 0.01}"))
    assert {limit.measure.name: limit.at_most for limit in read.judged_by} == {
        "distance_linkage": 0.01,
        "k_anonymity": 0.01,
    }


def test_every_limit_of_a_mode_says_where_it_comes_from() -> None:
    assert all(entry.source and entry.limit.at_most > 0 for mode in MODES.values() for entry in mode.limits)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("goal: {mode: open}", "goal.mode"),
        ("goal: {minimise: cel_loss}", "Did you mean 'cell_loss'"),
        ("goal: {untouched: [incme]}", "Did you mean 'income'"),
        ("goal: {survive: [income]}", "goal"),
    ],
)
def test_a_goal_that_cannot_be_is_named_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ProjectError, match=said):
        Project.open(project(tmp_path, text))


def test_the_found_project_makes_the_file_that_was_judged(tmp_path: Path) -> None:
    asked, data = Project.open(project(tmp_path, "goal: {mode: public, untouched: [income]}"))
    outcome = search_project(asked, data, output=tmp_path / "found.yaml", trials=15)
    assert outcome.keeps_limits
    found, again = Project.open(tmp_path / "found.yaml")
    masked = found.pipeline().run(again, found.secret())
    assert masked.table.equals(outcome.result.chosen.table)
    assert masked.table["income"].equals(data.table["income"])
    assert not ammg.evaluate(masked, limits=found.judged_by).broken


SEARCHED = "search: {trials: 4, steps: 1, methods: [microaggregation, rank_swapping]}\n"


@pytest.mark.parametrize(
    ("goal", "label"),
    [
        ("limits: {distance_linkage: 0.9}\n", "overall_loss"),
        (f"limits: {{distance_linkage: 0.9}}\n{SEARCHED}", "overall_loss"),
        ("goal: {mode: laboratory}\nmeasures: [{overall_loss: {power: 1}}]\n", "overall_loss"),
        ("limits: {distance_linkage: 0.9}\ngoal: {minimise: {cell_loss: {over: worst}}}\n", "cell_loss(over=worst)"),
    ],
)
def test_masking_assessing_and_comparing_show_the_loss_that_the_search_minimised(write, tmp_path, goal, label) -> None:
    project, data = ammg.Project.open(write(goal))
    found = search_project(project, data, output=tmp_path / "found.yaml", trials=4, secret=Secret.of(1))
    promised = found.result.choice.loss
    again, data = ammg.Project.open(tmp_path / "found.yaml")
    assessed, masked = assess_project(again, data), mask_project(again, data, force="a test")
    assert (assessed.minimised, masked.minimised) == (label, label)
    assert assessed.evaluation.value(label) == masked.evaluation.value(label) == promised
    assert masked.to_dict()["minimised"] == label
    compared = compare_project(again, [str(tmp_path / "found.yaml")], data, references=False)
    assert compared["found"].value(again.minimised) == promised


def test_a_project_that_is_not_searched_measures_no_more_than_it_says(write) -> None:
    project, data = ammg.Project.open(write("measures: [frequency]\nlimits: {k_anonymity: 1}\n"))
    outcome = assess_project(project, data)
    assert list(outcome.evaluation) == ["frequency", "k_anonymity"]
    assert outcome.minimised is None


def test_a_stream_is_not_read_whole_for_a_loss_that_nobody_named(write, tmp_path) -> None:
    path = write("measures: [frequency]\ngoal: {mode: laboratory}\nmethods: [additive_noise: {columns: [wage]}]\n")
    pl.read_csv(tmp_path / "people.csv").write_parquet(tmp_path / "people.parquet")
    path.write_text(path.read_text().replace("people.csv", "{path: people.parquet, stream: true}"), encoding="utf-8")
    named = path.with_name("named.yaml")
    named.write_text(path.read_text().replace("laboratory", "laboratory, minimise: cell_loss"), encoding="utf-8")
    assert "overall_loss" not in assess_project(ammg.Project.load(path)).evaluation
    assert "cell_loss" in assess_project(ammg.Project.load(named)).evaluation
