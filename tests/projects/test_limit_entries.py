"""Limits as a project file has them, read and written."""

from __future__ import annotations

import pytest
import yaml

import ammg
from ammg import KAnonymity, Limit
from ammg.errors import Problem
from ammg.projects.draft import Draft


def parsed(text: str) -> Draft:
    return Draft.parse({"source": "people.csv", **yaml.safe_load(text)})


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("limits: {distance_linkage: 0.05}", [Limit("distance_linkage", 0.05)]),
        ("limits: [{distance_linkage: 0.05}]", [Limit("distance_linkage", 0.05)]),
        ("limits: [{k_anonymity: {k: 20}, at_most: 0}]", [Limit(KAnonymity(k=20), 0)]),
        ("limits: {k_anonymity: {k: 20}, at_most: 0}", [Limit(KAnonymity(k=20), 0)]),
        (
            "limits: [{k_anonymity: {k: 20}, at_most: 0}, {k_anonymity: 0.1}, {frequency: 1e-3}]",
            [Limit(KAnonymity(k=20), 0), Limit("k_anonymity", 0.1), Limit("frequency", 0.001)],
        ),
        ("thresholds: {k_anonymity: 0}", [Limit("k_anonymity", 0)]),
        ("thresholds: {k_anonymity: 0}\nmeasures: [k_anonymity: {k: 20}]", [Limit(KAnonymity(k=20), 0)]),
        ("limits: {k_anonymity: 0}\nmeasures: [k_anonymity: {k: 20}]", [Limit(KAnonymity(k=20), 0)]),
        (
            "limits: [{k_anonymity: {}, at_most: 0}]\nmeasures: [k_anonymity: {k: 20}]",
            [Limit(KAnonymity(), 0)],
        ),
        ("limits: {frequency: 1}\nthresholds: {il1s: 2}", [Limit("frequency", 1), Limit("il1s", 2)]),
        ("limits: []", []),
    ],
)
def test_limits_are_read_and_written_back(text: str, limits: list[Limit]) -> None:
    draft = parsed(text)
    assert draft.problems == ()
    assert list(draft.project.limits) == limits
    written = draft.project.to_yaml()
    assert "thresholds" not in written
    assert list(parsed(written).project.limits) == limits


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("limits: {frequncy: 0.1}", "limits.frequncy", "Unknown measure 'frequncy'. Did you mean 'frequency'?"),
        ("limits: {frequency: -1}", "limits.frequency", "must be a number of at least 0 (it is -1)."),
        ("limits: {frequency: low}", "limits.frequency", "must be a number of at least 0 (it is 'low')."),
        ("limits: {frequency: yes}", "limits.frequency", "must be a number of at least 0 (it is True)."),
        ("limits: {frequency: .inf}", "limits.frequency", "must be a number of at least 0 (it is inf)."),
        ("limits: [{frequency: low}]", "limits[1] frequency", "must be a number of at least 0 (it is 'low')."),
        ("limits: [{frequency: {}, at_most: low}]", "limits[1]", "must be a number of at least 0 (it is 'low')."),
        ("limits: [{k_anonymity: {kk: 2}, at_most: 0}]", "limits[1] k_anonymity.kk", "unknown parameter."),
        ("limits: [{k_anonymity: {k: 1}, at_most: 0}]", "limits[1] k_anonymity.k", "input should be greater than or"),
        ("limits: [{k_anonymity: 20, at_most: 0}]", "limits[1] k_anonymity", "input should be a mapping such as"),
        ("limits: [{k_anonymity: 0, at_most: 0}]", "limits[1] k_anonymity", "input should be a mapping such as"),
        (f"limits: {{frequency: {10**400}}}", "limits.frequency", "must be a number of at least 0"),
        ("limits: [{k_anonymity: {k: 20}}]", "limits[1]", "has no at_most: write {k_anonymity: {…}, at_most: 0}."),
        ("limits: {k_anonymity: {k: 20}}", "limits.k_anonymity", "must be a number of at least 0 (it is {'k': 20})"),
        ("limits: [frequency]", "limits[1]", "must be one measure and its largest value, such as"),
        ("limits: [{at_most: 0}]", "limits[1]", "must be one measure and its largest value, such as"),
        ("limits: [{frequency: 0, il1: 0}]", "limits[1]", "must be one measure and its largest value, such as"),
        ("limits: 0.05", "limits", "must be a list of limits such as"),
        (
            "limits: [{frequency: 0}, {frequency: 1}]",
            "limits[2] frequency",
            "is limited twice with the same parameters",
        ),
        ("limits: {frequency: 0}\nthresholds: {frequency: 1}", "thresholds.frequency", "is limited twice"),
        (
            "limits: {k_anonymity: 0}\nmeasures: [k_anonymity: {k: 5}, k_anonymity: {k: 20}]",
            "limits.k_anonymity",
            "'k_anonymity' is measured more than once (k_anonymity(k=5), k_anonymity(k=20)): say which one",
        ),
    ],
)
def test_a_wrong_limit_is_one_problem_with_its_place(text: str, place: str, message: str) -> None:
    (problem,) = parsed(text).problems
    assert problem.place == place
    assert problem.message.startswith(message)


def test_a_project_made_in_python_takes_limits_by_name() -> None:
    project = ammg.Project(source={"path": "x.csv"}, measures=(KAnonymity(k=20),), limits={"k_anonymity": 0})
    assert project.limits == (Limit(KAnonymity(k=20), 0),)
    with pytest.raises(ValueError, match="The limit of 'frequency' is -1: it must be a number of at least 0"):
        ammg.Project(source={"path": "x.csv"}, limits={"frequency": -1})


def test_parsing_needs_no_data_and_finds_every_problem() -> None:
    draft = parsed("limits: {frequncy: 1}\nmethods: [smapling]\nsearch: {loss: il9}\nroles: {Age: key}\n")
    assert [problem.place for problem in draft.problems] == ["methods[1]", "limits.frequncy", "search.loss"]
    assert all(isinstance(problem, Problem) for problem in draft.problems)
    assert draft.project.roles == {"Age": "key"}
