"""Search methods for a version; intermediate results survive the worker."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ammg.draws import Secret
from ammg.errors import AmmgError
from ammg.jobs.inputs import finite, open_project
from ammg.jobs.queue import Lost, mine
from ammg.jobs.task import Task, add_file
from ammg.projects.search import SearchOutcome, search_project
from ammg.store.models.base import new_id
from ammg.store.models.projects import FileRow, ProjectRow
from ammg.store.models.work import JobRow, SearchRow
from ammg.store.versions import add_version

_KEPT_EVERY = 3.0


def run(task: Task) -> None:
    """Continue the search where an earlier attempt stopped; the best project becomes a version."""
    project, data, secret = open_project(task)
    journal = task.folder / "journal"
    if task.journal_id is not None:
        task.store.files.extract(task.journal_id, journal)
        task.log("continuing an earlier search")
    keeper = _Keeper(task, journal)
    try:
        outcome = search_project(
            project,
            data,
            trials=task.parameters["trials"],
            secret=secret or Secret(bytes.fromhex(task.parameters["secret"])),
            storage=journal,
            progress=task.report,
        )
    finally:
        keeper.stop()

    task.log(f"{len(outcome.result.candidates)} recipes tried, {len(outcome.result.frontier)} on the frontier")

    def record(session: Session) -> dict[str, Any]:
        keeper.forget(session)
        return _recorded(task, session, outcome)

    task.finish(record)
    keeper.remove()


def _recorded(task: Task, session: Session, outcome: SearchOutcome) -> dict[str, Any]:
    locked = select(ProjectRow).where(ProjectRow.id == task.project_id).with_for_update()
    number = task.parameters["version"]
    version = add_version(
        task.store,
        session,
        session.scalars(locked).one(),
        outcome.project.model_copy(update={"secret_file": None}).to_yaml(),
        task.author_id,
        f"found by a search from version {number}",
        secret=outcome.result.chosen.secret.key.hex(),
        based_on=number,
    )
    row_id = new_id()
    values = {**outcome.result.to_dict(), "map": outcome.result.map.to_dict()}
    session.add(
        SearchRow(
            id=row_id,
            project_id=task.project_id,
            version=number,
            found_version=version.number,
            job_id=task.claim.job_id,
            keeps_limits=outcome.keeps_limits,
            outcome=task.store.vault.seal(json.dumps(finite(values)), f"search:{row_id}"),
            created_at=task.store.clock(),
        )
    )
    session.flush()
    return {"search_id": row_id, "version": version.number, "keeps_limits": outcome.keeps_limits}


class _Keeper:
    """Stores the journal, encrypted, every few seconds and at the end."""

    def __init__(self, task: Task, journal: Path) -> None:
        self._task, self._journal = task, journal
        self._size = journal.stat().st_size if journal.exists() else 0
        self._last: str | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Store the journal for the last time."""
        self._over.set()
        self._thread.join()

    def forget(self, session: Session) -> None:
        """Drop the journal of a finished search."""
        row = session.get_one(JobRow, self._task.claim.job_id)
        self._last, row.journal_id = row.journal_id, None
        session.flush()
        if self._last is not None and (file := session.get(FileRow, self._last)):
            session.delete(file)

    def remove(self) -> None:
        """Remove the dropped journal's file."""
        if self._last is not None:
            self._task.store.files.remove(self._last)

    def _run(self) -> None:
        while not self._over.wait(_KEPT_EVERY):
            self._keep()
        self._keep()

    def _keep(self) -> None:
        if not self._journal.exists() or self._journal.stat().st_size == self._size:
            return
        content = self._journal.read_bytes()
        store = self._task.store
        stored = store.files.add_bytes(new_id(), content)
        try:
            with store.writing() as session:
                row = mine(session, self._task.claim)
                before, row.journal_id = row.journal_id, add_file(session, stored, store)
                session.flush()
                if before is not None and (old := session.get(FileRow, before)):
                    session.delete(old)
        except (AmmgError, Lost):  # try again the next time
            store.files.remove(stored.file_id)
            return
        self._size = len(content)
        if before is not None:
            store.files.remove(before)
