"""kill -9 at twenty moments: nothing is lost or half written, and every job is in an honest state."""

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
import sqlalchemy as sa
from team import DRIVERS, Team, fresh_database, opened
from workers import in_plain, started_server, until

from ammg.errors import Unavailable
from ammg.jobs.runner import JobRunner
from ammg.store import audit, evaluations, masked_files, work
from ammg.store.models.projects import FileRow
from ammg.store.models.work import JobRow
from ammg.store.values import Job


@pytest.mark.proof
def test_workers_that_are_killed_at_twenty_moments_leave_nothing_half_done(tmp_path: Path) -> None:
    team = Team.of(opened(tmp_path, job_attempts=100, workers=2))
    store, project = team.store, team.project.id
    team.paper()
    jobs = [work.start_mask(store, team.owner, project, f"public{number}.csv").id for number in range(4)]
    moments = random.Random(7)
    killed = 0
    with JobRunner(store):
        while killed < 20:
            time.sleep(moments.uniform(0.2, 4.0))
            with store.reading() as session:
                alive = session.scalars(sa.select(JobRow.process).where(JobRow.state == "running")).all()
            for process in filter(None, alive):
                try:
                    os.kill(process, signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    pass
            if all(work.get_job(store, team.owner, job).is_over for job in jobs):
                jobs.append(work.start_evaluate(store, team.owner, project).id)
        until(lambda: all(work.get_job(store, team.owner, job).is_over for job in jobs), 300)
    assert {work.get_job(store, team.owner, job).state for job in jobs} == {"finished"}
    assert audit.chain_state(store).intact
    assert in_plain(team) == []
    assert len(masked_files.list_masked_files(store, team.owner, project)) == 4
    assert len(evaluations.list_evaluations(store, team.owner, project)) == len(jobs)
    with store.reading() as session:
        known = set(session.scalars(sa.select(FileRow.id)))
    for file_id in known:
        store.files.read(file_id)
    store.close()


@pytest.mark.proof
def test_a_server_that_is_killed_at_ten_moments_loses_nothing(tmp_path: Path) -> None:
    team = Team.of(opened(tmp_path, job_attempts=100))
    store, project = team.store, team.project.id
    team.paper()
    jobs = [work.start_mask(store, team.owner, project, f"public{number}.csv").id for number in range(4)]
    moments = random.Random(8)
    for _ in range(10):
        server = started_server(tmp_path)
        time.sleep(moments.uniform(1.0, 8.0))
        server.kill()
        server.wait()
    with JobRunner(store):
        until(lambda: all(work.get_job(store, team.owner, job).is_over for job in jobs), 300)
    assert {work.get_job(store, team.owner, job).state for job in jobs} == {"finished"}
    assert audit.chain_state(store).intact
    assert in_plain(team) == []
    assert len(masked_files.list_masked_files(store, team.owner, project)) == 4
    store.close()


@pytest.mark.parametrize("kind", ["postgresql", "mariadb"])
def test_a_job_finishes_although_the_database_closes_every_connection(kind: str, tmp_path: Path) -> None:
    with fresh_database(kind) as url:
        team = Team.of(opened(tmp_path, url, job_attempts=20))
        job_id = str(team.paper().job_id)
        server = sa.create_engine(
            sa.make_url(url).set(drivername=DRIVERS[kind], database="postgres" if kind == "postgresql" else "test")
        )
        with JobRunner(team.store):
            for _ in range(8):
                time.sleep(0.5)
                _cut_off(server, str(sa.make_url(url).database))
            job = until(lambda: _when_over(team, job_id))
        assert (job.state, job.reason) == ("finished", "")
        assert until(lambda: _intact(team))
        server.dispose()
        team.store.close()


def _cut_off(server: sa.Engine, database: str) -> None:
    """End every connection to a database, as a server that is restarted does."""
    with server.connect() as connection:
        if server.dialect.name == "postgresql":
            ending = sa.text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name")
            connection.execute(ending, {"name": database})
            return
        found = sa.text("SELECT id FROM information_schema.processlist WHERE db = :name")
        for number in connection.scalars(found, {"name": database}).all():
            with suppress(sa.exc.DBAPIError):  # it may be gone by now
                connection.exec_driver_sql(f"KILL {int(number)}")


def _intact(team: Team) -> bool | None:
    try:
        return audit.chain_state(team.store).intact
    except Unavailable:
        return None


def _when_over(team: Team, job_id: str) -> Job | None:
    try:
        job = work.get_job(team.store, team.owner, job_id)
    except Unavailable:
        return None
    return job if job.is_over else None
