"""Workers that are killed, cancelled or out of bounds: every job ends in an honest state, nothing in plain stays."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from team import Team, opened
from workers import in_plain, long_search, over, row_of, started_server, until

from ammg.io.atomic import is_alive
from ammg.jobs.runner import JobRunner
from ammg.store import audit, data_sets, versions, work


@pytest.fixture
def searching(team: Team) -> Iterator[tuple[Team, str]]:
    job = long_search(team)
    with JobRunner(team.store):
        until(lambda: row_of(team.store, job).journal_id)
        yield team, job


def test_a_search_goes_on_where_a_killed_worker_stopped_and_ends_when_it_is_cancelled(
    searching: tuple[Team, str],
) -> None:
    team, job = searching
    first = row_of(team.store, job)
    os.kill(int(first.process or 0), signal.SIGKILL)
    again = until(lambda: row if (row := row_of(team.store, job)).attempt == 2 and row.process else None)
    assert again.state == "running"
    until(lambda: any("continuing" in one.text for one in work.events(team.store, team.owner, job)))
    assert in_plain(team) == [again.claim]
    work.cancel_job(team.store, team.owner, job)
    assert over(team, job).state == "cancelled"
    until(lambda: not in_plain(team))
    until(lambda: not is_alive(int(again.process or 0)))
    assert audit.chain_state(team.store).intact


def test_a_killed_server_takes_its_workers_along_and_the_next_one_goes_on(tmp_path: Path) -> None:
    team = Team.of(opened(tmp_path))
    search = long_search(team)
    server = started_server(tmp_path)
    try:
        running = until(lambda: row if (row := row_of(team.store, search)).process else None)
    finally:
        server.kill()
        server.wait()
    until(lambda: not is_alive(int(running.process or 0)))
    with JobRunner(team.store):
        assert running.claim not in in_plain(team)
        again = until(lambda: row if (row := row_of(team.store, search)).attempt == 2 and row.process else None)
        assert again.state == "running"
    assert row_of(team.store, search).state == "waiting"  # a stopped server leaves its work to the next one
    assert not in_plain(team)
    team.store.close()


def test_a_job_that_takes_too_long_fails_with_the_reason(tmp_path: Path) -> None:
    team = Team.of(opened(tmp_path, job_seconds=1))
    search = long_search(team)
    with JobRunner(team.store):
        job = over(team, search)
    assert job.state == "failed"
    assert job.reason.startswith("It took longer than 1 seconds: ask an administrator")
    assert not in_plain(team)
    team.store.close()


def test_a_job_that_needs_too_much_memory_fails_with_the_reason(tmp_path: Path) -> None:
    team = Team.of(opened(tmp_path, job_megabytes=20))
    data_set = team.paper()
    with JobRunner(team.store):
        job = over(team, str(data_set.job_id))
    assert job.state == "failed"
    assert "more than 20 MB of memory" in job.reason
    kept = data_sets.get_data_set(team.store, team.owner, team.project.id, data_set.id)
    assert (kept.state, kept.reason) == ("unread", job.reason)
    assert not in_plain(team)
    team.store.close()


def test_the_data_folder_may_be_named_by_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    team = Team.of(opened(Path(), "sqlite:///here.db"))
    data_set = team.paper()
    with JobRunner(team.store):
        job = over(team, str(data_set.job_id))
    assert (job.state, job.reason) == ("finished", "")
    assert (tmp_path / "here.db").is_file()
    team.store.close()


def test_what_is_wrong_with_the_data_is_the_reason_of_the_job(team: Team) -> None:
    data_set = team.upload("broken.parquet", b"this is no Parquet file")
    team.upload("patients.csv", b"Name,Age\nSmith,40\n")
    versions.create_version(
        team.store,
        team.owner,
        team.project.id,
        {"source": "patients.csv", "roles": {"Age": "key"}, "methods": [{"rank_swapping": {"columns": ["Name"]}}]},
    )
    masking = work.start_mask(team.store, team.owner, team.project.id, "public.csv").id
    with JobRunner(team.store):
        job = over(team, str(data_set.job_id))
        assert job.state == "failed"
        assert "cannot be read as Parquet" in job.reason
        job = over(team, masking)
        assert job.state == "failed"
        assert "Name" in job.reason
