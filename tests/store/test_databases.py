"""What a store relies on in every database."""

import hashlib
import json
import threading
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from team import PASSWORD, Team, fresh_database, patients, settings, signed_in

from ammg.errors import Conflict, Unavailable
from ammg.jobs.queue import recover, take
from ammg.store import audit, backup, data_sets, login, people, projects, versions, work
from ammg.store.ground.database import migrate, open_engine
from ammg.store.models import metadata
from ammg.store.models.projects import ProjectRow


def test_the_migrations_make_the_schema_of_the_models(anywhere: Team) -> None:
    migrate(anywhere.store.engine)  # a second start changes nothing
    with anywhere.store.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_moments_keep_their_microseconds_and_their_zone(anywhere: Team) -> None:
    project = projects.get_project(anywhere.store, anywhere.owner, anywhere.project.id)
    assert project.created_at == anywhere.project.created_at
    assert project.created_at.utcoffset() == timedelta(0)


def test_two_projects_of_one_owner_differ_in_more_than_case_and_accents(anywhere: Team) -> None:
    projects.create_project(anywhere.store, anywhere.owner, "Übersicht")
    with pytest.raises(Conflict, match="choose another name"):
        projects.create_project(anywhere.store, anywhere.owner, "ÜBERSICHT")
    projects.create_project(anywhere.store, anywhere.owner, "Ubersicht")
    projects.create_project(anywhere.store, anywhere.stranger, "Übersicht")


def test_of_two_who_take_the_same_name_at_once_one_is_asked_for_another(anywhere: Team) -> None:
    answers = _at_once(lambda: projects.create_project(anywhere.store, anywhere.stranger, "Contested"))
    assert sorted(answers) == ["Conflict"] * 7 + ["Project"]


def test_versions_made_at_once_are_numbered_one_after_the_other(anywhere: Team) -> None:
    project = projects.create_project(anywhere.store, anywhere.owner, "Numbered").id
    with data_sets.begin_upload(anywhere.store, anywhere.owner, project, "patients.csv") as upload:
        upload.write(patients())
        upload.finish()
    document = {"source": "patients.csv"}
    answers = _at_once(lambda: versions.create_version(anywhere.store, anywhere.owner, project, document))
    assert answers == ["Version"] * 8
    assert [v.number for v in versions.list_versions(anywhere.store, anywhere.owner, project)] == list(range(8, 0, -1))


def test_the_audit_chain_is_whole_after_many_writers(anywhere: Team) -> None:
    answers = _at_once(lambda: login.log_in(anywhere.store, "stranger", PASSWORD), 4)  # five would count as guessing
    assert answers == ["NewSession"] * 4
    state = audit.verify_chain(anywhere.store, anywhere.administrator)
    assert (state.intact, state.reason) == (True, "")
    assert state.entries == len(list(audit.export(anywhere.store, anywhere.administrator))) - 1


def test_every_waiting_job_is_taken_by_exactly_one(anywhere: Team) -> None:
    store, project = anywhere.store, anywhere.project.id
    while take(store):
        pass
    anywhere.upload("queue.csv", patients())
    while take(store):
        pass
    versions.create_version(store, anywhere.owner, project, {"source": "queue.csv"})
    wanted = {work.start_evaluate(store, anywhere.owner, project).id for _ in range(6)}
    taken: list[str] = []

    def take_all() -> None:
        while claim := take(store):
            taken.append(claim.job_id)

    _at_once(take_all, 4)
    assert sorted(taken) == sorted(wanted)
    anywhere.wait(minutes=1)
    assert recover(store, set()) >= 6
    assert {work.get_job(store, anywhere.owner, job).state for job in wanted} == {"waiting"}


def test_a_transaction_that_fails_leaves_neither_change_nor_entry(anywhere: Team) -> None:
    before = audit.chain_state(anywhere.store).entries
    with suppress(ZeroDivisionError), anywhere.store.writing() as session:
        session.execute(sa.update(ProjectRow).values(description="changed"))
        raise ZeroDivisionError
    with anywhere.store.reading() as session:
        assert "changed" not in session.scalars(sa.select(ProjectRow.description)).all()
    assert audit.chain_state(anywhere.store).entries == before


def test_a_backup_makes_the_same_store_again(anywhere: Team, tmp_path: Path) -> None:
    folder = tmp_path
    anywhere.upload("kept.csv", patients())
    backup.write_backup(anywhere.store, folder / "backup.tar")
    key = anywhere.store.settings.key_path
    with fresh_database(anywhere.store.engine.dialect.name) as url:
        restored = backup.restore_backup(folder / "backup.tar", settings(folder, url, key_file=key))
        owner = signed_in(restored, "owner")
        found = {one.name: one for one in data_sets.list_data_sets(restored, owner, anywhere.project.id)}
        download = data_sets.read_data_set(restored, owner, anywhere.project.id, found["kept.csv"].id)
        assert b"".join(download.chunks) == patients()
        assert audit.chain_state(restored).intact
        with pytest.raises(Conflict, match="already"):
            backup.restore_backup(folder / "backup.tar", settings(folder, url, key_file=key))
        assert people.list_users(restored, signed_in(restored, "admin")) == people.list_users(
            anywhere.store, anywhere.administrator
        )
        restored.close()


def test_a_database_that_is_away_is_answered_in_words() -> None:
    with pytest.raises(Unavailable, match="cannot be used"):
        migrate(open_engine("postgresql://nobody@127.0.0.1:1/nothing"))


def test_the_export_can_be_checked_without_the_store(anywhere: Team) -> None:
    previous = hashlib.sha256(b"ammg audit log").hexdigest()
    names = ("number", "at", "actor_id", "actor_name", "action", "subject", "project_id", "details")
    for line in audit.export(anywhere.store, anywhere.administrator):
        entry = json.loads(line)
        plain = json.dumps([entry[name] for name in names], ensure_ascii=True)
        assert entry["previous"] == previous
        previous = hashlib.sha256(f"{previous}{plain}".encode()).hexdigest()
        assert entry["hash"] == previous


def _at_once(act: object, times: int = 8) -> list[str]:
    """The kinds of what comes back when many do the same at once."""
    answers: list[str] = []

    def run() -> None:
        try:
            answers.append(type(act()).__name__)  # type: ignore[operator]
        except Exception as error:
            answers.append(type(error).__name__ if isinstance(error, Conflict) else repr(error))

    threads = [threading.Thread(target=run) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(answers) if "Conflict" in answers else answers
