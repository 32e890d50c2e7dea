"""A store with people in it, for tests: quick passwords, a clock that can be turned, real databases."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import ammg
from ammg.jobs.queue import take
from ammg.jobs.task import Task
from ammg.jobs.worker import carry_out
from ammg.jobs.workspace import make
from ammg.store import data_sets, login, members, people, projects, versions, work
from ammg.store.actor import Actor
from ammg.store.settings import Settings
from ammg.store.store import Store, open_store
from ammg.store.values import DataSet, Project

PASSWORD = "correct horse battery staple"
SERVERS = {
    "postgresql": os.environ.get("AMMG_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/test"),
    "mariadb": os.environ.get("AMMG_TEST_MARIADB", "mariadb://root@127.0.0.1:3306/test"),
}
DRIVERS = {"postgresql": "postgresql+psycopg", "mariadb": "mariadb+pymysql"}
PAPER = {
    "source": "patients.csv",
    "roles": {"Name": "identifier", "SSN": "identifier", "Age": "key", "State": "key"},
    "methods": [{"univariate_microaggregation": {"columns": ["Age"], "k": 2}}, {"sampling": {"fraction": 0.8}}],
    "measures": ["frequency", "il1s"],
}


def settings(folder: Path, database: str = "", **changes: Any) -> Settings:
    given = {"data": folder / "data", "password_cost": (1, 64, 1), "poll": 0.05, **changes}
    return Settings(database=database, **given)


@contextmanager
def fresh_database(kind: str) -> Iterator[str]:
    """The URL of a database that does not exist yet and is dropped afterwards; empty for SQLite."""
    if kind == "sqlite":
        yield ""
        return
    url = sa.make_url(SERVERS[kind]).set(drivername=DRIVERS[kind])
    server = sa.create_engine(url, poolclass=sa.NullPool, isolation_level="AUTOCOMMIT")
    try:
        server.connect().close()
    except (sa.exc.SQLAlchemyError, ModuleNotFoundError) as error:
        pytest.skip(f"{kind} is not reachable: {str(error).splitlines()[0]}")
    name = f"ammg_test_{secrets.token_hex(6)}"
    try:
        yield url.set(drivername=kind, database=name).render_as_string(hide_password=False)
    finally:
        with server.connect() as connection:
            forced = " WITH (FORCE)" if kind == "postgresql" else ""
            connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {name}{forced}")


@dataclass
class Team:
    """An administrator, the owner of a project, an analyst and a reviewer of it, and somebody who is none of them."""

    store: Store
    administrator: Actor
    owner: Actor
    analyst: Actor
    reviewer: Actor
    stranger: Actor
    project: Project
    _later: timedelta = field(default_factory=timedelta)

    @classmethod
    def of(cls, store: Store) -> "Team":
        link = people.first_link(store)
        assert link is not None
        people.accept(store, link, "admin", "", PASSWORD)
        administrator = signed_in(store, "admin")
        others = {name: newcomer(store, administrator, name) for name in ("owner", "analyst", "reviewer", "stranger")}
        project = projects.create_project(store, others["owner"], "Patients")
        for role in ("analyst", "reviewer"):
            members.set_member(store, others["owner"], project.id, role, role)
        return cls(store, administrator, **others, project=project)

    def wait(self, **time: float) -> None:
        """Turn the clock of the store forward."""
        self._later += timedelta(**time)
        later = self._later
        self.store.clock = lambda: datetime.now().astimezone() + later

    def work_off(self) -> None:
        """Do all jobs that wait, in this process."""
        work_off(self.store)

    def masked(self, name: str = "public.csv", document: dict[str, Any] | None = None, force: str | None = None) -> str:
        """The id of a masked file of the ten patients."""
        if not any(
            one.name == "patients.csv" for one in data_sets.list_data_sets(self.store, self.owner, self.project.id)
        ):
            self.upload("patients.csv", patients())
        versions.create_version(self.store, self.owner, self.project.id, document or PAPER)
        job = work.start_mask(self.store, self.owner, self.project.id, name, force=force)
        self.work_off()
        job = work.get_job(self.store, self.owner, job.id)
        assert job.result.get("masked_file_id"), job.reason or job.result
        return str(job.result["masked_file_id"])

    def upload(self, name: str, content: bytes, actor: Actor | None = None) -> DataSet:
        with data_sets.begin_upload(self.store, actor or self.owner, self.project.id, name) as upload:
            upload.write(content)
            return upload.finish()

    def paper(self) -> DataSet:
        """The ten patients of the paper, and the version that masks them."""
        data_set = self.upload("patients.csv", patients())
        versions.create_version(self.store, self.owner, self.project.id, PAPER)
        return data_set


def work_off(store: Store) -> None:
    """Do all jobs that wait, in this process."""
    while claim := take(store):
        carry_out(Task(store, claim, make(store.settings, claim.claim)))


def patients() -> bytes:
    return ammg.datasets.patients().write_csv().encode()


def newcomer(store: Store, administrator: Actor, name: str) -> Actor:
    people.accept(store, people.invite(store, administrator).token, name, "", PASSWORD)
    return signed_in(store, name)


def signed_in(store: Store, name: str) -> Actor:
    return login.authenticate(store, login.log_in(store, name, PASSWORD).token)


def opened(folder: Path, database: str = "", **changes: Any) -> Store:
    return open_store(settings(folder, database, **changes))
