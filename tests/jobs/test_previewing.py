"""A preview as a job: steps on a sample, and single records for the owner alone."""

import json

import pytest
from team import PAPER, Team

from ammg.errors import Conflict, NotFound, ProjectError
from ammg.store import previews, versions, work


def test_a_preview_shows_what_the_steps_do_and_replaces_the_one_before(team: Team) -> None:
    team.paper()
    team.work_off()
    store, project = team.store, team.project.id
    first = previews.start_preview(store, team.owner, project).id
    with pytest.raises(Conflict, match="waiting"):
        previews.get_preview(store, team.owner, first)
    team.work_off()
    shown = previews.get_preview(store, team.owner, first)
    assert (shown["records"], shown["of"], shown["after"]) == (10, 10, 8)
    assert [column["name"] for column in shown["columns"]] == ["Age"]
    assert shown["columns"][0]["values"]
    assert [step["name"] for step in shown["steps"]] == ["univariate_microaggregation", "sampling"]

    other = [{"rounding": {"columns": ["Income"], "base": 1000}}]
    second = previews.start_preview(store, team.owner, project, methods=other).id
    team.work_off()
    shown = previews.get_preview(store, team.owner, second)
    assert [column["name"] for column in shown["columns"]] == ["Income"]
    assert all(int(after) % 1000 == 0 for _, after in shown["columns"][0]["values"])
    with pytest.raises(NotFound, match="replaced"):
        previews.get_preview(store, team.owner, first)
    assert len(list(store.files.ids())) == 2  # the original and the last preview
    assert versions.get_version(store, team.owner, project).document["methods"] == PAPER["methods"]

    told = json.dumps(previews.get_preview(store, team.analyst, second))
    assert not any(after in told for pair in shown["columns"][0]["values"] for after in pair)
    assert "preview" not in json.dumps(work.get_job(store, team.analyst, first).result)


def test_wrong_steps_are_refused_before_a_job_starts(team: Team) -> None:
    team.paper()
    with pytest.raises(ProjectError, match="greater than or equal to 2"):
        previews.start_preview(team.store, team.owner, team.project.id, methods=[{"mdav": {"k": 1}}])
    with pytest.raises(NotFound, match="no such preview"):
        previews.get_preview(team.store, team.owner, work.list_jobs(team.store, team.owner, team.project.id)[0].id)
