"""Masked files and their accompanying files."""

from __future__ import annotations

import json
import mimetypes

from sqlalchemy import select
from sqlalchemy.orm import Session

from ammg.errors import NotFound, did_you_mean
from ammg.store.actor import Actor
from ammg.store.ground.chain import note
from ammg.store.models.projects import FileRow
from ammg.store.models.work import EvaluationRow, MaskedFileRow, PartRow
from ammg.store.people import user_names
from ammg.store.rights import ALL, OWNER, PANEL, Role, entered, within
from ammg.store.store import Store
from ammg.store.values import Download, FirstRecords, MaskedFile, Part

READERS: dict[str, tuple[Role, ...]] = {"public": ALL, "team": ALL, "internal": PANEL, "private": OWNER}
"""Who may read a part: the secret, the link and parts with originals are for the owner; only `public` ones leave."""


def list_masked_files(store: Store, actor: Actor, project_id: str) -> tuple[MaskedFile, ...]:
    """The masked files of a project, newest first."""
    with store.reading() as session:
        _, role = entered(session, actor, project_id)
        found = select(MaskedFileRow).where(MaskedFileRow.project_id == project_id)
        rows = session.scalars(found.order_by(MaskedFileRow.created_at.desc())).all()
        return tuple(_masked_file(store, session, row, role) for row in rows)


def get_masked_file(store: Store, actor: Actor, project_id: str, masked_file_id: str) -> MaskedFile:
    """One masked file, with the parts that the person may read."""
    with store.reading() as session:
        _, role = entered(session, actor, project_id)
        return _masked_file(
            store, session, within(session, MaskedFileRow, masked_file_id, project_id, "masked file"), role
        )


def read_part(store: Store, actor: Actor, project_id: str, masked_file_id: str, part: str) -> Download:
    """One of the files that belong to a masked file."""
    with store.writing() as session:
        entered(session, actor, project_id)
        file = within(session, MaskedFileRow, masked_file_id, project_id, "masked file")
        row = session.get(PartRow, (file.id, part))
        if row is None:
            names = session.scalars(select(PartRow.name).where(PartRow.masked_file_id == file.id)).all()
            raise NotFound(f"'{file.name}' has no part '{part[:40]}'.{did_you_mean(part, names)}")
        entered(session, actor, project_id, READERS[row.role])
        if row.role != "public":
            note(session, actor, "part read", file.id, project_id, part=part)
        return download(store, session, row.file_id, row.file_name)


def first_records(store: Store, actor: Actor, project_id: str, masked_file_id: str) -> FirstRecords:
    """The first records of a masked file, for display."""
    with store.reading() as session:
        entered(session, actor, project_id)
        file = within(session, MaskedFileRow, masked_file_id, project_id, "masked file")
        part = session.get(PartRow, (file.id, "sample"))
        if part is None:
            raise NotFound(f"'{file.name}' is too large to be shown: download it.")
        file_id = part.file_id
    found = json.loads(store.files.read(file_id))
    return FirstRecords(tuple(found["columns"]), tuple(map(tuple, found["rows"])), file.records)


def download(store: Store, session: Session, file_id: str, name: str) -> Download:
    """A stored file as a download."""
    file = session.get(FileRow, file_id)
    if file is None:
        raise NotFound("The file no longer exists.")
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Download(name, file.size, store.files.chunks(file_id), kind, file.sha256)


def parts_of(session: Session, masked_file_id: str, role: str) -> tuple[Part, ...]:
    """The parts of a masked file that a person with this role may read."""
    found = (
        select(PartRow, FileRow)
        .join(FileRow, FileRow.id == PartRow.file_id)
        .where(PartRow.masked_file_id == masked_file_id)
        .order_by(PartRow.name)
    )
    return tuple(
        Part(part.name, part.file_name, part.role, file.size, file.sha256)
        for part, file in session.execute(found)
        if role in READERS[part.role]
    )


def facts_of(store: Store, row: MaskedFileRow) -> dict[str, list[str]]:
    """Broken limits, problems found by the release checks, notes, and the reason for forcing the file."""
    facts: dict[str, list[str]] = json.loads(store.vault.unseal(row.facts, f"masked file:{row.id}"))
    return facts


def _masked_file(store: Store, session: Session, row: MaskedFileRow, role: str) -> MaskedFile:
    facts = facts_of(store, row)
    evaluated = select(EvaluationRow.id).where(EvaluationRow.masked_file_id == row.id)
    return MaskedFile(
        id=row.id,
        name=row.name,
        version=row.version,
        job_id=row.job_id,
        evaluation_id=session.scalar(evaluated.order_by(EvaluationRow.created_at).limit(1)),
        records=row.records,
        broken=tuple(facts["broken"]),
        gate=tuple(facts["gate"]),
        force=" ".join(facts["force"]),
        needs_reason=row.needs_reason,
        notes=tuple(facts["notes"]),
        parts=parts_of(session, row.id, role),
        created_by=user_names(session, {row.created_by})[row.created_by],
        created_at=row.created_at,
    )
