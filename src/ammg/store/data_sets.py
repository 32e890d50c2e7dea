"""Data sets: originals stored as encrypted files, first read by a job."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

from sqlalchemy import select
from sqlalchemy.orm import Session

from ammg.data.schema import Schema
from ammg.errors import Conflict, InputError, NotFound, TooLarge
from ammg.projects.editing.form_fields import schema_of
from ammg.report.evidence import LEAST
from ammg.store.actor import Actor
from ammg.store.ground.chain import note
from ammg.store.ground.names import checked_file_name
from ammg.store.models.base import folded, new_id
from ammg.store.models.projects import ConnectionRow, DataSetRow, FileRow
from ammg.store.models.work import JobRow
from ammg.store.people import user_names
from ammg.store.rights import OWNER, WORKERS, entered, within
from ammg.store.store import Store
from ammg.store.values import DataSet, Download, Job
from ammg.store.work import OVER, enqueue, job_value


class Upload:
    """A data set being uploaded: call `write`, then `finish`; without `finish`, nothing is kept."""

    def __init__(self, store: Store, actor: Actor, project_id: str, name: str) -> None:
        self._store, self._actor, self._project_id, self._name = store, actor, project_id, name
        self._writer = store.files.writer(new_id())

    @property
    def received(self) -> int:
        """Bytes so far."""
        return self._writer.size

    def write(self, content: bytes) -> None:
        """Encrypt the next bytes and write them to disk.

        Raises:
            TooLarge: the limit is exceeded; nothing is kept.
        """
        if self.received + len(content) > self._store.settings.upload_bytes:
            self.abort()
            raise _too_large(self._store)
        self._writer.write(content)

    def finish(self) -> DataSet:
        """Store the data set, and start the job that reads it."""
        if not self.received:
            self.abort()
            raise InputError(f"'{self._name}' is empty: it needs a header and records.")
        stored = self._writer.finish()
        try:
            with self._store.writing() as session:
                entered(session, self._actor, self._project_id, WORKERS, "write")
                _refuse_taken(session, self._project_id, self._name)
                now = self._store.clock()
                session.add(FileRow(id=stored.file_id, size=stored.size, created_at=now))
                session.flush()
                row = new_row(self._store, self._actor, self._project_id, self._name)
                row.file_id, row.size = stored.file_id, stored.size
                session.add(row)
                session.flush()
                parameters = {"data_set_id": row.id}
                job = enqueue(self._store, session, self._actor, self._project_id, "import", parameters)
                note(session, self._actor, "upload", row.id, self._project_id, name=row.name, bytes=row.size)
                return _data_set(self._store, row, self._actor.name, job.id)
        except BaseException:
            self._store.files.remove(stored.file_id)
            raise

    def abort(self) -> None:
        """Keep nothing."""
        self._writer.abort()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.abort()


def begin_upload(store: Store, actor: Actor, project_id: str, name: str, size: int | None = None) -> Upload:
    """Upload a file of any format that AMMG reads; `size` is the size announced by the sender."""
    checked_file_name(name)
    with store.reading() as session:
        entered(session, actor, project_id, WORKERS, "write")
        _refuse_taken(session, project_id, name)
    if size is not None and size > store.settings.upload_bytes:
        raise _too_large(store)
    return Upload(store, actor, project_id, name)


def import_table(store: Store, actor: Actor, project_id: str, connection_id: str, table: str, name: str) -> Job:
    """Start a job that reads a table through a connection defined by an administrator, as a Parquet data set."""
    if not 1 <= len(table) <= 200 or not table.isprintable():
        raise InputError("Name a table, or schema.table.")
    checked_file_name(name)
    if not name.lower().endswith(".parquet"):
        raise InputError(f"A table becomes a Parquet file: give '{name}' the ending .parquet.")
    with store.writing() as session:
        entered(session, actor, project_id, WORKERS, "write")
        connection = session.get(ConnectionRow, connection_id)
        if connection is None or not connection.reads:
            raise NotFound("There is no such connection to read from: ask an administrator.")
        _refuse_taken(session, project_id, name)
        row = new_row(store, actor, project_id, name)
        session.add(row)
        session.flush()
        parameters = {"data_set_id": row.id, "connection_id": connection.id, "table": table}
        job = enqueue(store, session, actor, project_id, "import", parameters)
        note(session, actor, "import", row.id, project_id, name=name, connection=connection.name)
        return job_value(store, job, actor.name)


def new_row(store: Store, actor: Actor, project_id: str, name: str) -> DataSetRow:
    """The row of a data set that has yet to be read."""
    return DataSetRow(
        id=new_id(),
        project_id=project_id,
        name=name,
        name_key=folded(name),
        state="checking",
        created_at=store.clock(),
        created_by=actor.user_id,
    )


def list_data_sets(store: Store, actor: Actor, project_id: str) -> tuple[DataSet, ...]:
    """The data sets of a project, including removed ones."""
    with store.reading() as session:
        _, role = entered(session, actor, project_id)
        found = select(DataSetRow).where(DataSetRow.project_id == project_id).order_by(DataSetRow.created_at)
        rows = session.scalars(found).all()
        names = user_names(session, {row.created_by for row in rows})
        return tuple(_shown(_data_set(store, row, names[row.created_by]), role) for row in rows)


def get_data_set(store: Store, actor: Actor, project_id: str, data_set_id: str) -> DataSet:
    """One data set."""
    with store.reading() as session:
        _, role = entered(session, actor, project_id)
        row = within(session, DataSetRow, data_set_id, project_id, "data set")
        return _shown(_data_set(store, row, user_names(session, {row.created_by})[row.created_by]), role)


def remove_data_set(store: Store, actor: Actor, project_id: str, data_set_id: str) -> None:
    """Remove the original; results made from it stay."""
    with store.writing() as session:
        entered(session, actor, project_id, OWNER, "write")
        row = within(session, DataSetRow, data_set_id, project_id, "data set")
        if row.removed_at is not None:
            raise Conflict(f"'{row.name}' has already been removed.")
        if session.scalar(select(JobRow.id).where(JobRow.project_id == project_id, JobRow.state.not_in(OVER))):
            raise Conflict("The project has unfinished jobs: wait, or cancel them first.")
        file_id, row.file_id = row.file_id, None
        row.state, row.removed_at, row.name_key, row.analysis, row.reason = "removed", store.clock(), None, None, None
        session.flush()
        if file_id is not None and (file := session.get(FileRow, file_id)):
            session.delete(file)
        note(session, actor, "data set removed", row.id, project_id, name=row.name)
    if file_id is not None:
        store.files.remove(file_id)


def analysis(store: Store, actor: Actor, project_id: str, data_set_id: str) -> dict[str, Any]:
    """The analysis of a data set; only the owner sees single values."""
    with store.reading() as session:
        _, role = entered(session, actor, project_id, WORKERS)
        row = within(session, DataSetRow, data_set_id, project_id, "data set")
        if row.analysis is None:
            raise Conflict(f"'{row.name}' is {row.state}, so it has no analysis.")
        found: dict[str, Any] = json.loads(store.vault.unseal(row.analysis, f"analysis:{row.id}"))["analysis"]
    return found if role == "owner" else _without_values(found)


def first_records(store: Store, actor: Actor, project_id: str, data_set_id: str) -> dict[str, Any]:
    """The first records of a data set as columns and rows, for its owner."""
    return dict(_known(store, actor, project_id, data_set_id).get("first", {"columns": [], "rows": []}))


def value_counts(store: Store, actor: Actor, project_id: str, data_set_id: str) -> dict[str, list[tuple[Any, int]]]:
    """The values of attributes with few distinct values, with their numbers of records; for the owner."""
    counts = _known(store, actor, project_id, data_set_id).get("counts", {})
    return {name: [(value, count) for value, count in values] for name, values in counts.items()}


def _known(store: Store, actor: Actor, project_id: str, data_set_id: str) -> dict[str, Any]:
    with store.reading() as session:
        entered(session, actor, project_id, OWNER)
        row = within(session, DataSetRow, data_set_id, project_id, "data set")
        if row.analysis is None:
            raise Conflict(f"'{row.name}' is {row.state}: it has not been read.")
        found: dict[str, Any] = json.loads(store.vault.unseal(row.analysis, f"analysis:{row.id}"))
        return found


def schema_for(store: Store, actor: Actor, project_id: str, document: Mapping[str, Any]) -> Schema:
    """The attributes of a project document's data set, as the document describes them; empty if it is unread."""
    source = document.get("source")
    name = source.get("path") if isinstance(source, Mapping) else source
    with store.reading() as session:
        entered(session, actor, project_id, WORKERS)
        there = (DataSetRow.project_id == project_id, DataSetRow.removed_at.is_(None), DataSetRow.name == str(name))
        row = session.scalar(select(DataSetRow).where(*there))
        if row is None or row.analysis is None:
            return Schema(())
        found = json.loads(store.vault.unseal(row.analysis, f"analysis:{row.id}"))["analysis"]
    return schema_of(found["attributes"], document)


def read_data_set(store: Store, actor: Actor, project_id: str, data_set_id: str) -> Download:
    """The original, for its owner."""
    with store.writing() as session:
        entered(session, actor, project_id, OWNER)
        row = within(session, DataSetRow, data_set_id, project_id, "data set")
        if row.file_id is None:
            raise NotFound(f"The file of '{row.name}' is not available: it is {row.state}.")
        note(session, actor, "data set read", row.id, project_id, name=row.name)
    return Download(row.name, row.size, store.files.chunks(row.file_id))


def _without_values(found: dict[str, Any]) -> dict[str, Any]:
    """An analysis without extremes, values of few records and identifying values."""
    attributes = [
        {
            **attribute,
            **dict.fromkeys(("low", "high")),
            "reason": "",
            "kind_reason": "",
            "distribution": [
                (label, count)
                for label, count in attribute["distribution"]
                if count >= LEAST and attribute["role"] != "identifier"
            ],
        }
        for attribute in found["attributes"]
    ]
    warnings = [{**warning, "message": ""} for warning in found.get("warnings", ())]
    return {**found, "attributes": attributes, "warnings": warnings, "edits": []}


def _shown(data_set: DataSet, role: str) -> DataSet:
    """Hide reasons from everybody but the owner, because they may quote the data."""
    known = role == "owner" or not data_set.reason
    return data_set if known else replace(data_set, reason="Only the project owner sees the reason.")


def _refuse_taken(session: Session, project_id: str, name: str) -> None:
    taken = (DataSetRow.project_id == project_id, DataSetRow.name_key == folded(name))
    if session.scalar(select(DataSetRow.id).where(*taken)):
        raise Conflict(f"The project already has a data set called '{name}': choose another name, or remove it first.")


def _too_large(store: Store) -> TooLarge:
    return TooLarge(f"The file is larger than {store.settings.upload_bytes / 2**20:,.0f} MiB: ask an administrator.")


def _data_set(store: Store, row: DataSetRow, author: str, job_id: str | None = None) -> DataSet:
    reason = "" if row.reason is None else store.vault.unseal(row.reason, f"data set reason:{row.id}")
    return DataSet(row.id, row.name, row.state, row.size, row.records, reason, author, row.created_at, job_id)
