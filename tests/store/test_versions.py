import json

import pytest
from team import PAPER, Team

from ammg.errors import Conflict, NotFound, ProjectError
from ammg.store import data_sets, versions


@pytest.fixture
def project(team: Team) -> str:
    team.upload("patients.csv", b"Name,Age,State\nSmith,40,MI\nJones,41,MI\n")
    return team.project.id


def test_nothing_is_edited_in_place_and_undo_is_going_back(team: Team, project: str) -> None:
    first = versions.create_version(team.store, team.owner, project, "# mine\nsource: patients.csv\n")
    second = versions.create_version(team.store, team.analyst, project, PAPER, "masks Age", based_on=1)
    assert (first.number, second.number, second.based_on, second.created_by) == (1, 2, 1, "analyst")
    versions.go_back(team.store, team.owner, project, 1)
    current = versions.get_version(team.store, team.owner, project)
    assert (current.number, current.text) == (1, "# mine\nsource: patients.csv\n")
    third = versions.create_version(team.store, team.owner, project, PAPER)
    assert (third.number, third.based_on) == (3, 1)
    assert versions.get_version(team.store, team.owner, project, 2).document == second.document


def test_who_edits_what_is_no_longer_current_is_asked_to_look_again(team: Team, project: str) -> None:
    versions.create_version(team.store, team.owner, project, PAPER)
    versions.create_version(team.store, team.analyst, project, PAPER, based_on=1)
    with pytest.raises(Conflict, match="Version 2 is now the current one"):
        versions.create_version(team.store, team.owner, project, PAPER, based_on=1)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"source": "/etc/passwd"}, "is a path"),
        ({"source": "../other.csv"}, "is a path"),
        ({"source": "postgresql://localhost/db?table=t"}, "is a database address"),
        ({"source": "patient.csv"}, "Did you mean 'patients.csv'?"),
        ({"source": {"path": "patients.csv", "layout": "/etc/passwd"}}, "is a path"),
        ({"hierarchies": {"State": "~/states.csv"}}, "is a path"),
        ({"scenario": {"external": {"path": "sqlite:///x.db", "match": "Age"}}}, "is a database address"),
        ({"target": "/tmp/x.csv"}, "is a path"),
        ({"secret_file": "secret"}, "remove it"),
        ({"methods": [{"rank_swop": {"columns": ["Age"]}}]}, "rank_swop"),
        ({"roles": {"Agee": "key"}}, "Did you mean 'Age'?"),
    ],
)
def test_a_document_that_is_wrong_or_leads_out_of_the_project_is_refused(
    team: Team, project: str, change: dict[str, object], problem: str
) -> None:
    team.work_off()  # from now on the columns are known
    document = {"source": "patients.csv", "roles": {"Name": "identifier"}, **change}
    with pytest.raises(ProjectError) as refused:
        versions.create_version(team.store, team.owner, project, document)
    assert problem in str(refused.value)
    assert len(refused.value.problems) == 1
    with pytest.raises(NotFound, match="no version"):
        versions.get_version(team.store, team.owner, project)


@pytest.mark.parametrize("text", ["", "- a\n- list", "a: [", "a: &a [*a]", "x" * 5_000_000])
def test_what_is_no_project_file_is_refused(team: Team, project: str, text: str) -> None:
    with pytest.raises(ValueError, match="project file"):
        versions.create_version(team.store, team.owner, project, text)


def test_a_document_is_shown_as_json_can_say_it(team: Team, project: str) -> None:
    text = "source: patients.csv\nmissing_codes: {Age: [.inf, -.inf]}\n"
    version = versions.create_version(team.store, team.owner, project, text)
    assert json.loads(json.dumps(version.document, allow_nan=False)) == version.document
    assert version.document["missing_codes"] == {"Age": [".inf", "-.inf"]}


def test_the_analysis_proposes_a_version(team: Team, project: str) -> None:
    team.work_off()
    (data_set,) = data_sets.list_data_sets(team.store, team.owner, project)
    proposed = versions.propose_version(team.store, team.owner, project, data_set.id)
    assert proposed.document["roles"]["Name"] == "identifier"
