"""What is removed with a project."""

from __future__ import annotations

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from ammg.store.models.projects import DataSetRow, FileRow, VersionRow
from ammg.store.models.review import CommentRow, ReviewRow
from ammg.store.models.work import EvaluationRow, JobEventRow, JobRow, MaskedFileRow, PartRow, ReportRow, SearchRow


def remove_contents(session: Session, project_id: str) -> set[str]:
    """Delete all rows of a project without releases; returns the ids of files that are no longer needed."""
    masked = select(MaskedFileRow.id).where(MaskedFileRow.project_id == project_id)
    jobs = select(JobRow.id).where(JobRow.project_id == project_id)
    reviews = select(ReviewRow.id).where(ReviewRow.project_id == project_id)
    held = (
        select(DataSetRow.file_id).where(DataSetRow.project_id == project_id),
        select(ReportRow.file_id).where(ReportRow.project_id == project_id),
        select(PartRow.file_id).where(PartRow.masked_file_id.in_(masked)),
        select(JobRow.journal_id).where(JobRow.project_id == project_id),
    )
    files = {file_id for found in held for file_id in session.scalars(found) if file_id is not None}
    session.execute(delete(CommentRow).where(CommentRow.review_id.in_(reviews)))
    session.execute(delete(ReviewRow).where(ReviewRow.project_id == project_id))
    session.execute(delete(EvaluationRow).where(EvaluationRow.project_id == project_id))
    session.execute(delete(ReportRow).where(ReportRow.project_id == project_id))
    session.execute(delete(PartRow).where(PartRow.masked_file_id.in_(masked)))
    session.execute(delete(MaskedFileRow).where(MaskedFileRow.project_id == project_id))
    session.execute(delete(SearchRow).where(SearchRow.project_id == project_id))
    session.execute(delete(JobEventRow).where(JobEventRow.job_id.in_(jobs)))
    session.execute(delete(JobRow).where(JobRow.project_id == project_id))
    session.execute(delete(DataSetRow).where(DataSetRow.project_id == project_id))
    session.execute(delete(VersionRow).where(VersionRow.project_id == project_id))
    session.execute(delete(FileRow).where(FileRow.id.in_(files)))
    return files
