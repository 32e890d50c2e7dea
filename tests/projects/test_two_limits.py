"""A measure with two sets of parameters in one project: searched, masked and assessed by the same limits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ammg
from ammg.draws import Secret
from ammg.projects.assess import assess_project
from ammg.projects.mask import mask_project
from ammg.projects.search import search_project

TWO = """
methods: []
limits:
  - {k_anonymity: {k: 2}, at_most: 0.01}
  - {k_anonymity: {k: 60}, at_most: 1}
  - {distance_linkage: 0.2}
measures: [cell_loss]
search: {trials: 6, steps: 2, methods: [global_recoding, rare_category_recoding, additive_noise]}
"""
LABELS = {"k_anonymity(k=2)", "k_anonymity(k=60)", "distance_linkage"}


@pytest.mark.parametrize("k", [2, 60])
def test_two_ks_give_the_same_figures_searched_masked_and_assessed(write, tmp_path: Path, k: int) -> None:
    project, data = ammg.Project.open(write(TWO))
    searched = search_project(project, data, output=tmp_path / "found.yaml", secret=Secret.of(1))
    found, data = ammg.Project.open(tmp_path / "found.yaml")
    assert found.limits == project.limits
    assessed = assess_project(found, data).evaluation
    masked = mask_project(found, data, force="for the figures").evaluation
    assert set(searched.result.choice.risks) == LABELS
    assert len(set(searched.result.choice.risks.values())) == 3
    assert LABELS < set(masked) == set(assessed)
    for label in LABELS:
        assert searched.result.choice.risks[label] == masked.value(label) == assessed.value(label)
    assert searched.keeps_limits == (not masked.broken) == (not assessed.broken)
    released = ammg.read(tmp_path / "masked.csv").with_roles(key=["region", "age"])
    alone = ammg.evaluate(released, [ammg.KAnonymity(k=k)], before=False).value("k_anonymity")
    assert masked.value(f"k_anonymity(k={k})") == alone


def test_a_threshold_means_the_measure_that_the_project_lists(write) -> None:
    text = (
        "measures: [{k_anonymity: {k: 60}}, cell_loss]\nthresholds: {k_anonymity: 0.1}\n"
        "search: {trials: 4, steps: 1, methods: [global_recoding]}\n"
    )
    project, data = ammg.Project.open(write(text))
    assert project.limits == (ammg.Limit(ammg.KAnonymity(k=60), 0.1),)
    outcome = search_project(project, data)
    chosen = ammg.evaluate(outcome.result.chosen, [ammg.KAnonymity(k=60)], before=False).value("k_anonymity")
    assert outcome.result.choice.risks == {"k_anonymity": chosen}


def test_both_limits_are_judged(write) -> None:
    noise = "methods: [additive_noise: {columns: [age]}]\n"
    project, data = ammg.Project.open(
        write(TWO.replace("methods: []\n", noise).replace("at_most: 1}", "at_most: 0.5}"))
    )
    outcome = mask_project(project, data)
    assert set(outcome.evaluation.broken) >= {"k_anonymity(k=2)", "k_anonymity(k=60)"}
    assert not outcome.is_written
    assert list(outcome.to_dict()["limits"]) == ["k_anonymity(k=2)", "k_anonymity(k=60)", "distance_linkage"]


def test_what_a_release_says_about_itself_uses_the_labels(write, tmp_path: Path) -> None:
    project, data = ammg.Project.open(write(TWO.replace("methods: []", "methods: [additive_noise]")))
    mask_project(project, data, force="a test")
    assert "k_anonymity(k=60)" in (tmp_path / "masked.csv.summary.md").read_text(encoding="utf-8")
    kept = json.loads((tmp_path / "masked.csv.private" / "evaluation.json").read_text(encoding="utf-8"))
    assert kept["measures"]["k_anonymity(k=60)"]["parameters"]["k"] == 60
    assert ammg.Project.load(tmp_path / "masked.csv.project.yaml").limits == project.limits
