"""Waiting for jobs and looking at what they leave, for tests."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa
from team import Team

from ammg.store import versions, work
from ammg.store.models import metadata
from ammg.store.models.work import JobRow
from ammg.store.store import Store
from ammg.store.values import Job

T = TypeVar("T")
SERVER = """
import sys, time
from pathlib import Path
from team import opened
from ammg.jobs.runner import JobRunner
JobRunner(opened(Path(sys.argv[1]), workers=2, job_attempts=100)).start()
time.sleep(600)
"""


def until(question: Callable[[], T | None], seconds: float = 300.0) -> T:
    """The first answer that is true."""
    deadline = time.monotonic() + seconds
    while True:
        answer = question()
        if answer:
            return answer
        assert time.monotonic() < deadline, "it took too long"
        time.sleep(0.05)


def over(team: Team, job_id: str) -> Job:
    """The job, when it is over."""

    def ended() -> Job | None:
        job = work.get_job(team.store, team.owner, job_id)
        return job if job.is_over else None

    return until(ended)


def row_of(store: Store, job_id: str) -> JobRow:
    with store.reading() as session:
        return session.get_one(JobRow, job_id)


def long_search(team: Team) -> str:
    """A search that takes minutes."""
    records = "\n".join(f"{i % 90},{i % 7},{i * 37 % 1000},{i * 91 % 777}" for i in range(400))
    team.upload("survey.csv", f"age,region,income,rent\n{records}\n".encode())
    document = {
        "source": "survey.csv",
        "roles": {"age": "key", "region": "key", "income": "confidential", "rent": "confidential"},
        "limits": {"distance_linkage": 0.01},
    }
    versions.create_version(team.store, team.owner, team.project.id, document)
    return work.start_search(team.store, team.owner, team.project.id, trials=5000).id


def every_value(store: Store) -> str:
    """All rows of all tables, as text."""
    with store.engine.connect() as connection:
        return "\n".join(
            str(tuple(row)) for table in metadata.sorted_tables for row in connection.execute(sa.select(table))
        )


def in_plain(team: Team) -> list[str]:
    """The claims whose workers have originals in plain."""
    return [place.name for place in (team.store.settings.data / "work").glob("*")]


def started_server(folder: Path) -> subprocess.Popen[bytes]:
    """A process that runs the jobs of the store in this folder until it is killed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "-c", SERVER, str(folder)], env=environment)
