"""Release an approved file: check that it is the approved one, write it to a table if asked, and seal its digests."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from ammg import registry
from ammg.errors import Conflict, InputError, NotFound
from ammg.io.databases.tables import TableName
from ammg.io.read import read
from ammg.jobs.task import Task
from ammg.progress import reporting, tick
from ammg.store.ground.chain import note
from ammg.store.ground.database import open_engine
from ammg.store.masked_files import parts_of
from ammg.store.models.base import new_id
from ammg.store.models.projects import ConnectionRow
from ammg.store.models.review import ReleaseRow, ReviewRow
from ammg.store.models.work import MaskedFileRow, PartRow
from ammg.store.values import Part


def run(task: Task) -> None:
    """Check every public part against its digest, then record the release, which never changes."""
    with task.store.reading() as session:
        review = session.get_one(ReviewRow, task.parameters["review_id"])
        file = session.get_one(MaskedFileRow, review.masked_file_id)
        parts = [part for part in parts_of(session, file.id, "owner") if part.role == "public"]
        places = {part.name: session.get_one(PartRow, (file.id, part.name)).file_id for part in parts}
    with reporting(task.report):
        for number, part in enumerate(parts):
            tick(number, len(parts), f"checking {part.name}")
            _check(task, part, places[part.name])
        connection = _write_table(task, file.name, places["masked"]) if task.parameters["connection_id"] else None

    def record(session: Session) -> dict[str, Any]:
        review = session.get_one(ReviewRow, task.parameters["review_id"])
        if review.state != "approved":
            raise Conflict(f"The file is {review.state}, not approved: it cannot be released.")
        row = ReleaseRow(
            id=new_id(),
            project_id=task.project_id,
            masked_file_id=file.id,
            review_id=review.id,
            job_id=task.claim.job_id,
            checksums=json.dumps([asdict(part) for part in parts]),
            connection=connection,
            table=task.parameters["table"],
            released_by=task.author_id,
            released_at=task.store.clock(),
        )
        session.add(row)
        session.flush()
        digests = {part.file_name: part.sha256 for part in parts}
        note(session, None, "release", row.id, task.project_id, file=file.name, sha256=digests)
        return {"release_id": row.id}

    task.finish(record)


def _check(task: Task, part: Part, file_id: str) -> None:
    digest = hashlib.sha256()
    for chunk in task.store.files.chunks(file_id):
        digest.update(chunk)
    if digest.hexdigest() != part.sha256:
        raise InputError(f"'{part.file_name}' is not the file that was approved: mask it again.")


def _write_table(task: Task, name: str, file_id: str) -> str:
    """Write the masked file to a new table of a connection."""
    with task.store.reading() as session:
        connection = session.get(ConnectionRow, task.parameters["connection_id"])
        if connection is None or not connection.writes:
            raise NotFound("The connection has been removed: ask an administrator.")
        url = task.store.vault.unseal(connection.url, f"connection:{connection.id}")
    table = task.parameters["table"]
    if task.attempt == 1:  # a later attempt may find the table of an earlier one
        _refuse_existing(url, table)
    path = task.folder / name
    task.store.files.extract(file_id, path)
    task.log(f"writing to '{connection.name}'")
    data = read(str(path))
    registry.format_for(url, table=table).write(data.table, data.schema, url)
    return connection.name


def _refuse_existing(url: str, table: str) -> None:
    engine = open_engine(url)
    name = TableName.of(table)
    try:
        if sa.inspect(engine).has_table(name.name, schema=name.schema):
            raise InputError(f"The table '{table}' already exists: choose another name.")
    finally:
        engine.dispose()
