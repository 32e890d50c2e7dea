"""Review before release, and what is released for good."""

import hashlib
from pathlib import Path

import pytest
import sqlalchemy as sa
from team import PAPER, Team

import ammg
from ammg.errors import Conflict, Denied, InputError
from ammg.store import connections, masked_files, members, projects, releases, reviews, work

# Keys stay as they are, so that two of the ten patients are unique under every secret.
RISKY = {
    **PAPER,
    "methods": [{"univariate_microaggregation": {"columns": ["Income", "Billing"], "k": 2}}],
    "limits": {"frequency": 0.0},
}


def test_a_file_that_keeps_its_limits_is_reviewed_by_somebody_else(team: Team) -> None:
    masked = team.masked()
    review = reviews.submit(team.store, team.owner, team.project.id, masked, "please")
    assert (review.state, review.needs_reason, review.broken) == ("submitted", False, ())
    with pytest.raises(Denied):
        reviews.approve(team.store, team.owner, team.project.id, review.id)
    with pytest.raises(Conflict, match="already been submitted"):
        reviews.submit(team.store, team.owner, team.project.id, masked)
    with pytest.raises(InputError, match="what has to change"):
        reviews.return_for_changes(team.store, team.reviewer, team.project.id, review.id, " ")
    reviews.comment(team.store, team.analyst, team.project.id, review.id, "we sampled")
    review = reviews.return_for_changes(team.store, team.reviewer, team.project.id, review.id, "mask State too")
    assert (review.state, review.decision, review.decided_by) == ("returned", "mask State too", "reviewer")
    assert [(one.by, one.text) for one in review.comments] == [("analyst", "we sampled")]
    with pytest.raises(Conflict, match="not approved"):
        releases.start_release(team.store, team.owner, team.project.id, review.id)
    again = reviews.submit(team.store, team.owner, team.project.id, masked)
    assert reviews.take_back(team.store, team.owner, team.project.id, again.id).state == "taken back"
    again = reviews.submit(team.store, team.owner, team.project.id, masked)
    assert reviews.approve(team.store, team.reviewer, team.project.id, again.id).state == "approved"
    with pytest.raises(Conflict, match="over"):
        reviews.return_for_changes(team.store, team.reviewer, team.project.id, again.id, "too late")


def test_who_made_a_file_as_an_analyst_does_not_review_it_later(team: Team) -> None:
    members.set_member(team.store, team.owner, team.project.id, "stranger", "analyst")
    team.paper()
    job = work.start_mask(team.store, team.stranger, team.project.id, "public.csv")
    team.work_off()
    masked = work.get_job(team.store, team.owner, job.id).result["masked_file_id"]
    members.set_member(team.store, team.owner, team.project.id, "stranger", "reviewer")
    review = reviews.submit(team.store, team.owner, team.project.id, masked)
    with pytest.raises(Denied, match="somebody else"):
        reviews.approve(team.store, team.stranger, team.project.id, review.id)


def test_broken_limits_need_a_written_reason_of_everybody(team: Team) -> None:
    team.paper()
    from ammg.store import versions

    versions.create_version(team.store, team.owner, team.project.id, RISKY)
    job = work.start_mask(team.store, team.owner, team.project.id, "public.csv")
    team.work_off()
    job = work.get_job(team.store, team.owner, job.id)
    assert (job.state, job.result["masked_file_id"]) == ("finished", None)
    assert "frequency" in job.result["broken"][0]
    with pytest.raises(InputError, match="empty"):
        work.start_mask(team.store, team.owner, team.project.id, "public.csv", force=" ")
    masked = team.masked(document=RISKY, force="it is an example")
    file = masked_files.get_masked_file(team.store, team.reviewer, team.project.id, masked)
    assert (file.needs_reason, file.force) == (True, "it is an example")
    assert "frequency" in file.broken[0]
    with pytest.raises(InputError, match="why it may be released"):
        reviews.submit(team.store, team.owner, team.project.id, masked)
    review = reviews.submit(team.store, team.owner, team.project.id, masked, reason="all ten agreed")
    assert review.broken == file.broken
    with pytest.raises(InputError, match="why it may be released"):
        reviews.approve(team.store, team.reviewer, team.project.id, review.id)
    review = reviews.approve(team.store, team.reviewer, team.project.id, review.id, "seen their letters")
    assert (review.reason, review.decision) == ("all ten agreed", "seen their letters")


def test_a_release_never_changes_and_is_withdrawn_by_an_event(team: Team, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/open.db"
    sa.create_engine(url).connect().close()
    (tmp_path / "open.db").touch()
    connection = connections.define_connection(team.store, team.administrator, "Open data", url, False, True)
    masked = team.masked()
    review = reviews.submit(team.store, team.owner, team.project.id, masked)
    reviews.approve(team.store, team.reviewer, team.project.id, review.id)
    releases.start_release(team.store, team.owner, team.project.id, review.id, connection.id, "patients")
    with pytest.raises(Conflict, match="being released"):
        releases.start_release(team.store, team.owner, team.project.id, review.id)
    team.work_off()
    (release,) = releases.list_releases(team.store, team.analyst, team.project.id)
    assert (release.released_by, release.approved_by, release.connection) == ("owner", "reviewer", "Open data")
    content = b"".join(releases.read_release(team.store, team.analyst, team.project.id, release.id).chunks)
    (listed,) = [part for part in release.files if part.name == "masked"]
    assert (listed.sha256, listed.size) == (hashlib.sha256(content).hexdigest(), len(content))
    assert len(ammg.read(url, table="patients").table) == 8
    for attempt in (
        lambda: releases.start_release(team.store, team.owner, team.project.id, review.id),
        lambda: reviews.submit(team.store, team.owner, team.project.id, masked),
        lambda: projects.remove_project(team.store, team.owner, team.project.id),
    ):
        with pytest.raises(Conflict):
            attempt()
    with pytest.raises(InputError, match="reason for the withdrawal"):
        releases.withdraw(team.store, team.owner, team.project.id, release.id, " ")
    gone = releases.withdraw(team.store, team.owner, team.project.id, release.id, "a household was recognised")
    assert gone.withdrawn_reason == "a household was recognised"
    assert gone.files == release.files
    with pytest.raises(Conflict, match="can no longer be downloaded"):
        releases.read_release(team.store, team.analyst, team.project.id, release.id)
    kept = b"".join(releases.read_release(team.store, team.owner, team.project.id, release.id).chunks)
    assert kept == content


def test_a_stored_file_that_was_changed_is_not_released(team: Team) -> None:
    masked = team.masked()
    review = reviews.submit(team.store, team.owner, team.project.id, masked)
    reviews.approve(team.store, team.reviewer, team.project.id, review.id)
    with team.store.engine.begin() as connection:
        query = "SELECT file_id FROM parts WHERE name = 'masked'"
        place = team.store.files.path(connection.exec_driver_sql(query).scalar_one())
    place.write_bytes(place.read_bytes()[:-1] + b"\0")
    job = releases.start_release(team.store, team.owner, team.project.id, review.id)
    team.work_off()
    assert "was changed" in work.get_job(team.store, team.owner, job.id).reason
    assert releases.list_releases(team.store, team.owner, team.project.id) == ()
