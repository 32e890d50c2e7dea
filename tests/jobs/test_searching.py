"""A search as a job: what it finds is a version, and masking that makes the file that was judged."""

import hashlib

import pytest
from team import Team

from ammg.errors import Cancelled, NotFound
from ammg.jobs.queue import Claim, beat, end, recover, take
from ammg.jobs.task import Task
from ammg.jobs.tasks import searching
from ammg.jobs.workspace import make
from ammg.store import evaluations, masked_files, searches, versions, work

SURVEY = {
    "source": "survey.csv",
    "roles": {"age": "key", "region": "key", "income": "confidential"},
    "measures": ["distance_linkage", "cell_loss"],
    "limits": {"distance_linkage": 0.3},
}


def test_what_a_search_finds_is_a_version_that_makes_the_judged_file(team: Team) -> None:
    records = "\n".join(f"{20 + i * 7 % 60},{i % 5},{1000 + i * 37 % 997}" for i in range(120))
    team.upload("survey.csv", f"age,region,income\n{records}\n".encode())
    store, project = team.store, team.project.id
    versions.create_version(store, team.owner, project, SURVEY)
    job_id = work.start_search(store, team.analyst, project, trials=6).id
    team.work_off()
    job = work.get_job(store, team.owner, job_id)
    assert (job.state, job.reason) == ("finished", "")
    assert len(list(store.files.ids())) == 1  # the original; the journal went
    found = evaluations.get_search(store, team.reviewer, project, job.result["search_id"])
    assert found.values is not None
    assert found.values["frontier"]
    assert found.values["map"]["series"]
    version = versions.get_version(store, team.owner, project)
    assert (version.number, version.based_on, version.has_secret) == (2, 1, True)
    assert [next(iter(step)) for step in version.document["methods"]] == [
        next(iter(step)) for step in found.values["chosen"]["recipe"]
    ]
    jobs = [work.start_mask(store, team.owner, project, f"{name}.csv", force="test").id for name in ("one", "two")]
    team.work_off()
    digests = set()
    for one in jobs:
        masked = work.get_job(store, team.owner, one).result["masked_file_id"]
        download = masked_files.read_part(store, team.owner, project, masked, "masked")
        digests.add(hashlib.sha256(b"".join(download.chunks)).hexdigest())
    assert len(digests) == 1
    evaluation = work.get_job(store, team.owner, jobs[0]).result["evaluation_id"]
    values = evaluations.get_evaluation(store, team.owner, project, evaluation).values
    assert values is not None
    assert values["measures"]["distance_linkage"]["value"] == found.values["chosen"]["risks"]["distance_linkage"]


def survey(team: Team) -> str:
    records = "\n".join(f"{20 + i * 7 % 60},{i % 5},{1000 + i * 37 % 997}" for i in range(120))
    team.upload("survey.csv", f"age,region,income\n{records}\n".encode())
    versions.create_version(team.store, team.owner, team.project.id, SURVEY)
    team.work_off()
    return work.start_search(team.store, team.owner, team.project.id, trials=8).id


def test_any_point_of_a_search_can_be_adopted(team: Team) -> None:
    store, job_id = team.store, survey(team)
    assert searches.search_points(store, team.owner, job_id).points == ()
    team.work_off()
    found = searches.search_points(store, team.reviewer, job_id)
    assert (found.state, found.version, found.found_version) == ("finished", 1, 2)
    assert [point.rank for point in found.points][:1] == ["chosen"]
    assert any(point.on_frontier for point in found.points)
    last = found.points[-1]
    adopted = searches.adopt_point(store, team.analyst, job_id, last.key)
    assert (adopted.number, adopted.is_current) == (3, True)
    assert adopted.document["methods"] == [
        step if parameters else name for step in last.recipe for name, parameters in step.items()
    ]
    with pytest.raises(NotFound, match="no longer has this point"):
        searches.adopt_point(store, team.owner, job_id, "0" * 16)


def test_what_a_stopped_search_found_so_far_can_be_adopted(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "_KEPT_EVERY", 0.01)
    store, job_id = team.store, survey(team)
    claim = take(store)
    assert claim is not None
    task = Task(store, claim, make(store.settings, claim.claim))
    seen: list[searches.SearchPoints] = []

    def report(done: float, total: float, label: str) -> bool:
        """Stop as soon as a point can be seen from outside."""
        seen.append(searches.search_points(store, team.owner, job_id))
        return not seen[-1].points

    monkeypatch.setattr(task, "report", report)
    with pytest.raises(Cancelled):
        searching.run(task)
    end(store, claim, "cancelled")
    found = searches.search_points(store, team.owner, job_id)
    assert found.state == "cancelled"
    assert found.tried >= len(found.points) > 0
    point = next(point for point in found.points if point.on_frontier)
    assert point.words
    adopted = searches.adopt_point(store, team.owner, job_id, point.key)
    assert [next(iter(step)) for step in adopted.document["methods"]] == [next(iter(step)) for step in point.recipe]


def test_a_worker_whose_job_was_given_to_another_changes_nothing(team: Team) -> None:
    data_set = team.paper()
    old = take(team.store)
    assert old is not None
    assert beat(team.store, old, 1, 2, "reading", 1) is False
    team.wait(minutes=1)
    assert recover(team.store, {"another"}) == 1
    new = take(team.store)
    assert new is not None
    assert new.job_id == old.job_id
    assert end(team.store, old, "failed", "too late") is False
    assert end(team.store, Claim(new.job_id, "guessed"), "failed") is False
    job = work.get_job(team.store, team.owner, str(data_set.job_id))
    assert (job.state, job.attempt) == ("running", 2)


def test_a_waiting_job_is_cancelled_at_once(team: Team) -> None:
    data_set = team.paper()
    assert work.cancel_job(team.store, team.analyst, str(data_set.job_id)).state == "cancelled"
    assert take(team.store) is None


def test_a_worker_is_told_that_its_job_is_cancelled(team: Team) -> None:
    data_set = team.paper()
    claim = take(team.store)
    assert claim is not None
    work.cancel_job(team.store, team.owner, str(data_set.job_id))
    assert beat(team.store, claim, 0, 1, "", 1) is True
