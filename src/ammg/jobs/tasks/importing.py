"""Read a data set for the first time: an upload, or a database table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from ammg import registry
from ammg.analyzer.render import as_project
from ammg.errors import NotFound
from ammg.io.read import read
from ammg.io.yaml_text import parse_yaml
from ammg.jobs.inputs import extract_beside, extract_data_set, finite
from ammg.jobs.task import Task, add_file
from ammg.progress import reporting
from ammg.projects.attributes.glimpse import MOST_VALUES, glimpse
from ammg.projects.init import analyze_file
from ammg.store.ground.files import Stored
from ammg.store.ground.names import is_beside
from ammg.store.models.projects import ConnectionRow, DataSetRow


def run(task: Task) -> None:
    """Analyse the data set and store the proposed description."""
    with task.store.reading() as session:
        row = session.get_one(DataSetRow, task.parameters["data_set_id"])
        if row.file_id is not None:
            extract_data_set(task, row)
            extract_beside(task, session, {row.name})
    path = task.folder / row.name
    stored: Stored | None = None
    with reporting(task.report):
        if row.file_id is None:
            _fetch(task, path)
            stored = task.keep(path)
        found = None if is_beside(row.name) else _analysed(path)
        if found is None and path.suffix.lower() != ".sas7bcat":
            parse_yaml(path.read_text(encoding="utf-8", errors="replace"))

    if found is not None:
        counted = found["analysis"]
        task.log(f"{counted['records']:,} records, {len(counted['attributes'])} attributes")

    def record(session: Session) -> dict[str, Any]:
        row = session.get_one(DataSetRow, task.parameters["data_set_id"])
        if stored is not None:
            row.file_id, row.size = add_file(session, stored, task.store), stored.size
        row.state = "ready"
        if found is not None:
            row.records = found["analysis"]["records"]
            row.analysis = task.store.vault.seal(json.dumps(found), f"analysis:{row.id}")
        return {"data_set_id": row.id}

    task.finish(record)


def _analysed(path: Path) -> dict[str, Any]:
    analysis = analyze_file(str(path))
    first, counts = glimpse(str(path), [one.name for one in analysis.attributes if 1 < one.distinct <= MOST_VALUES])
    return {
        "analysis": finite(analysis.to_dict()),
        "proposal": as_project(analysis, path.name),
        "first": finite(first),
        "counts": finite(counts),
    }


def _fetch(task: Task, path: Path) -> None:
    """Fetch the table as a Parquet file."""
    with task.store.reading() as session:
        connection = session.get(ConnectionRow, task.parameters["connection_id"])
        if connection is None or not connection.reads:
            raise NotFound("The connection has been removed: ask an administrator.")
        url = task.store.vault.unseal(connection.url, f"connection:{connection.id}")
        task.log(f"reading from '{connection.name}'")
    data = read(url, table=task.parameters["table"])
    registry.format_for(path.name).write(data.table, data.schema, str(path))
