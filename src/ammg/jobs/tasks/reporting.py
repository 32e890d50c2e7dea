"""Write the report on a masked file."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from ammg.jobs.inputs import open_project, secret_of_masked
from ammg.jobs.task import Task, add_file
from ammg.projects.report import report_project
from ammg.store.models.base import new_id
from ammg.store.models.work import ReportRow


def run(task: Task) -> None:
    """Make the file again, measure it, and write the public or internal report."""
    project, data, _ = open_project(task)
    masked_file_id, kind = task.parameters["masked_file_id"], task.parameters["kind"]
    path = task.folder / "report.html"
    secret = secret_of_masked(task, masked_file_id)
    report_project(project, data, output=path, version=kind, secret=secret, progress=task.report)
    stored = task.keep(path)

    def record(session: Session) -> dict[str, Any]:
        row = ReportRow(
            id=new_id(),
            project_id=task.project_id,
            masked_file_id=masked_file_id,
            kind=kind,
            file_id=add_file(session, stored, task.store, public=kind == "public"),
            job_id=task.claim.job_id,
            created_at=task.store.clock(),
        )
        session.add(row)
        session.flush()
        return {"report_id": row.id}

    task.finish(record)
