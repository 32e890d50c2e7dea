"""Previews: the effect of steps on a sample of the records, before the whole file is masked."""

from __future__ import annotations

import json
from typing import Any

from ammg.errors import Conflict, NotFound
from ammg.store.actor import Actor
from ammg.store.ground.documents import parsed_document
from ammg.store.models.projects import FileRow
from ammg.store.rights import WORKERS, entered, entered_job
from ammg.store.store import Store
from ammg.store.values import Job
from ammg.store.versions import get_version
from ammg.store.work import enqueue, job_value


def start_preview(
    store: Store, actor: Actor, project_id: str, version: int | None = None, methods: list[Any] | None = None
) -> Job:
    """Mask a sample of a version's records; if `methods` are given, they replace the version's steps.

    Raises:
        ProjectError: all problems of the steps.
    """
    with store.reading() as session:
        entered(session, actor, project_id, WORKERS, "run")
    found = get_version(store, actor, project_id, version)
    if methods is not None:
        parsed_document({**found.document, "methods": methods})[2].refuse_problems("The list of steps")
    with store.writing() as session:
        entered(session, actor, project_id, WORKERS, "run")
        parameters = {"version": found.number, "methods": methods}
        return job_value(store, enqueue(store, session, actor, project_id, "preview", parameters), actor.name)


def get_preview(store: Store, actor: Actor, job_id: str) -> dict[str, Any]:
    """The result of a preview; single records, and notes of the steps about them, are for the owner only."""
    with store.reading() as session:
        row, role = entered_job(session, actor, job_id, WORKERS)
        if row.kind != "preview":
            raise NotFound("There is no such preview.")
        if row.state != "finished":
            raise Conflict(f"The preview is {row.state}: wait until it is finished.")
        file_id = json.loads(row.result).get("preview")
        if file_id is None or session.get(FileRow, file_id) is None:
            raise NotFound("The preview was replaced by a later one: start it again.")
    found: dict[str, Any] = json.loads(store.files.read(file_id))
    if role == "owner":
        return found
    columns = [{**column, "values": []} for column in found["columns"]]
    steps = [{**step, "notes": []} for step in found["steps"]]
    return {**found, "columns": columns, "steps": steps}
