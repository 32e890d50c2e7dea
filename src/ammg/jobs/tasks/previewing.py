"""Show the effect of a version's steps on a sample of its records."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ammg.jobs.inputs import finite, open_project
from ammg.jobs.task import Task, add_file
from ammg.projects.preview import preview_project
from ammg.store.models.projects import FileRow
from ammg.store.models.work import JobRow


def run(task: Task) -> None:
    """Mask a sample; the previous preview is dropped."""
    project, data, secret = open_project(task, methods=task.parameters["methods"])
    preview = preview_project(project, data, secret=secret, progress=task.report)
    stored = task.keep(json.dumps(finite(preview.to_dict())).encode())
    earlier: list[str] = []

    def record(session: Session) -> dict[str, Any]:
        earlier[:] = _forgotten(session, task)
        return {"preview": add_file(session, stored, task.store)}

    task.finish(record)
    for file_id in earlier:
        task.store.files.remove(file_id)


def _forgotten(session: Session, task: Task) -> list[str]:
    """The files of previews that have been replaced."""
    mine = (JobRow.project_id == task.project_id, JobRow.kind == "preview", JobRow.created_by == task.author_id)
    found = []
    for row in session.scalars(select(JobRow).where(*mine, JobRow.state == "finished")):
        file = session.get(FileRow, json.loads(row.result).get("preview", ""))
        if file is not None:
            found.append(file.id)
            session.delete(file)
            row.result = "{}"
    session.flush()
    return found
