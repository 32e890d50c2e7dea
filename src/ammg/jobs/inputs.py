"""The input of a job, decrypted into its folder: a version of the project with the files that it names."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ammg.data.microdata import Microdata
from ammg.draws import Secret
from ammg.errors import InputError
from ammg.jobs.task import Task
from ammg.progress import reporting
from ammg.projects.project import Project
from ammg.store.ground.documents import parsed_document, referenced
from ammg.store.models.projects import DataSetRow, ProjectRow, VersionRow
from ammg.store.models.work import PartRow
from ammg.store.versions import version_row

_BESIDE = (".codebook.yaml", ".layout.csv", ".sas7bcat")
"""Suffixes of files that readers find beside the data by name."""


def open_project(task: Task, methods: list[Any] | None = None) -> tuple[Project, Microdata, Secret | None]:
    """The project of the job's version with its data, and the secret that a search stored with the version, if any.

    If `methods` are given, they replace the version's steps.
    """
    with task.store.reading() as session:
        project = session.get_one(ProjectRow, task.project_id)
        version = version_row(session, project, task.parameters["version"])
        text = task.store.vault.unseal(version.document, f"version:{version.id}")
        secret = _secret_of(task, version)
        text, document, draft = parsed_document(text)
        if methods is not None:
            text, _, draft = parsed_document({**document, "methods": methods})
        names = referenced(draft.project).values()
        _extract(task, session, set(names))
    path = task.folder / ".project.yaml"  # data set names never begin with a dot
    path.write_text(text, encoding="utf-8")
    path.chmod(0o600)
    task.log(f"reading version {version.number}")
    with reporting(task.report):
        opened, data = Project.open(path, with_target=False, with_secret=False)
    return opened, data, secret


def secret_of_masked(task: Task, masked_file_id: str) -> Secret:
    """The secret with which a file was masked."""
    with task.store.reading() as session:
        part = session.get_one(PartRow, (masked_file_id, "secret"))
    return Secret(bytes.fromhex(task.store.files.read(part.file_id).decode().strip()))


def extract_data_set(task: Task, row: DataSetRow) -> Path:
    """Decrypt a data set under its own name into the folder of the job."""
    place = task.folder / row.name
    if row.file_id is None:
        raise InputError(f"The data set '{row.name}' is {row.state}: upload it again.")
    if not place.exists():
        task.store.files.extract(row.file_id, place)
    return place


def extract_beside(task: Task, session: Session, names: set[str]) -> None:
    """Decrypt codebooks, layouts and catalogs that belong to files with these names."""
    wanted = {f"{Path(name).stem}{ending}" for name in names for ending in _BESIDE} - names
    for row in session.scalars(_there(task.project_id).where(DataSetRow.name.in_(wanted))).all():
        if row.file_id is not None:
            extract_data_set(task, row)


def finite(value: Any) -> Any:
    """Plain values for JSON: infinity and NaN become None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(name): finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [finite(part) for part in value]
    return value


def _extract(task: Task, session: Session, names: set[str]) -> None:
    rows = {row.name: row for row in session.scalars(_there(task.project_id).where(DataSetRow.name.in_(names)))}
    for name in sorted(names):
        if name not in rows:
            raise InputError(f"The data set '{name}' has been removed: upload it again, or make a version without it.")
        extract_data_set(task, rows[name])
    extract_beside(task, session, names)


def _there(project_id: str) -> Any:
    return select(DataSetRow).where(DataSetRow.project_id == project_id, DataSetRow.removed_at.is_(None))


def _secret_of(task: Task, version: VersionRow) -> Secret | None:
    if version.secret is None:
        return None
    return Secret(bytes.fromhex(task.store.vault.unseal(version.secret, f"version secret:{version.id}")))
