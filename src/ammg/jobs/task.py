"""A job as seen by the code that runs it: parameters, a folder, progress, and one way to store results."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from ammg.errors import Unavailable
from ammg.jobs.queue import Claim, Lost, ended, mine
from ammg.store.ground.files import Stored
from ammg.store.models.base import new_id
from ammg.store.models.projects import FileRow
from ammg.store.models.work import JobRow
from ammg.store.store import Store
from ammg.store.work import add_event, parameters_of

_PATIENCE = 60.0
"""Seconds for which a finished job waits for an unavailable database."""


class Task:
    """The job of a worker."""

    def __init__(self, store: Store, claim: Claim, folder: Path) -> None:
        self.store, self.claim, self.folder = store, claim, folder
        with store.reading() as session:
            row = session.get(JobRow, claim.job_id)
            if row is None or row.claim != claim.claim:
                raise Lost
            self.kind, self.project_id, self.author_id = row.kind, row.project_id, row.created_by
            self.attempt, self.journal_id = row.attempt, row.journal_id
            self.parameters: dict[str, Any] = parameters_of(store, row)
        self.asked = ""
        self.ended = threading.Event()
        self.progress: tuple[float, float, str] = (0.0, 0.0, "")
        self._told: tuple[float, float, str] | None = None
        self._files: list[str] = []

    def report(self, done: float, total: float, label: str) -> bool:
        """Report progress; returns False to ask a computation to stop."""
        self.progress = (float(done), float(total), label)
        return not self.asked

    def has_moved(self) -> bool:
        """Whether there has been progress since the last call."""
        moved, self._told = self._told != self.progress, self.progress
        return moved

    def ask_to_stop(self, word: str) -> None:
        """Ask the job to stop: `cancel` for good, `stop` to be started again later."""
        self.asked = self.asked or word

    def log(self, text: str) -> None:
        """Add a line to the log of the job; it must not contain values of the data."""
        with self.store.writing() as session:
            add_event(self.store, session, self.claim.job_id, "log", text)

    def keep(self, source: Path | bytes) -> Stored:
        """Encrypt a file or a value into the store; it is removed again unless `finish` records it."""
        file_id = new_id()
        self._files.append(file_id)
        if isinstance(source, bytes):
            return self.store.files.add_bytes(file_id, source)
        return self.store.files.add(file_id, source)

    def finish(self, record: Callable[[Session], dict[str, Any]]) -> None:
        """Record the results and end the job, in one transaction; `record` returns the ids for the result.

        Raises:
            Cancelled: somebody asked to cancel it before.
            Lost: the job was given to another worker.
        """
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                self._finish_once(record)
                self.ended.set()
                return
            except Unavailable:
                if time.monotonic() > deadline:
                    self._forget()
                    raise
                time.sleep(0.5)
            except BaseException:
                self._forget()
                raise

    def _finish_once(self, record: Callable[[Session], dict[str, Any]]) -> None:
        with self.store.writing() as session:
            known = session.get(JobRow, self.claim.job_id)
            if known is not None and known.claim == self.claim.claim and known.state == "finished":
                return  # an earlier attempt succeeded and only its answer was lost
            row = mine(session, self.claim)
            row.result = json.dumps(record(session))
            row.done, row.total, row.label = 1.0, 1.0, ""
            ended(self.store, session, row, "finished")

    def _forget(self) -> None:
        for file_id in self._files:
            self.store.files.remove(file_id)


def add_file(session: Session, stored: Stored, store: Store, *, public: bool = False) -> str:
    """Add the row of a file; only files that may be published have a digest."""
    row = FileRow(
        id=stored.file_id, size=stored.size, sha256=stored.sha256 if public else None, created_at=store.clock()
    )
    session.add(row)
    session.flush()
    return row.id
