"""The runner: starts a worker process for each job and enforces its time and memory limits and cancellation."""

from __future__ import annotations

import logging
import threading
import time
from types import TracebackType
from typing import Self

from sqlalchemy import select

from ammg.errors import AmmgError
from ammg.jobs.process import Worker
from ammg.jobs.queue import cancelled, end, give_back, recover, take
from ammg.jobs.workspace import remove, remove_others
from ammg.store.models.projects import FileRow
from ammg.store.models.work import JobRow
from ammg.store.store import Store

log = logging.getLogger("ammg.jobs")
_RECOVERY = 5.0
"""Seconds between two checks for jobs whose worker has died."""
_ASK = "ask an administrator to allow more"
_GRACE = 1.0
"""Seconds that a worker has to end on its own."""


class JobRunner:
    """Runs the jobs of a store until it is stopped; the next runner takes over the jobs it leaves unfinished."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._workers: dict[str, Worker] = {}
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ammg jobs", daemon=True)
        self._recovered = 0.0

    def start(self) -> None:
        """Clean up after a runner that was killed, and start."""
        remove_others(self._store.settings, _claims(self._store))
        recover(self._store, set())
        remove_others(self._store.settings, _claims(self._store))
        sweep(self._store)
        self._thread.start()

    def stop(self, timeout: float = 30.0) -> None:
        """Take no more jobs, stop the running ones, and put them back into the queue."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(timeout)
        for worker in self._workers.values():
            worker.kill()
        self._workers.clear()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def _run(self) -> None:
        while not self._over.wait(self._store.settings.poll):
            self._guarded()
        for worker in self._workers.values():
            worker.ask_to_stop("stop")
        deadline = time.monotonic() + 2 * _GRACE
        while self._workers and time.monotonic() < deadline:
            self._guarded()
            time.sleep(0.05)
        for worker in self._workers.values():
            worker.kill()
        self._guarded()

    def _guarded(self) -> None:
        """One round; a database that is temporarily unavailable does not end the runner."""
        try:
            self._round()
        except AmmgError as error:
            log.warning("The queue cannot be read: %s", error)
        except Exception as error:  # the runner must survive; values stay out of the log
            log.error("The queue cannot be read: %s", type(error).__name__)

    def _round(self) -> None:
        for claim, worker in list(self._workers.items()):
            if worker.is_over:
                self._settle(worker)
                del self._workers[claim]
        self._watch()
        if self._over.is_set():
            return
        if time.monotonic() - self._recovered > _RECOVERY:
            self._recovered = time.monotonic()
            if recover(self._store, set(self._workers)):  # remove the decrypted files of dead workers as well
                remove_others(self._store.settings, _claims(self._store) | set(self._workers))
        while len(self._workers) < self._store.settings.workers and (taken := take(self._store)):
            self._workers[taken.claim] = Worker(self._store, taken)

    def _watch(self) -> None:
        for claim in cancelled(self._store, {c for c, w in self._workers.items() if w.asked_at is None}):
            self._workers[claim].ask_to_stop("cancel")
        settings = self._store.settings
        for worker in self._workers.values():
            if worker.asked_at is not None and time.monotonic() - worker.asked_at > _GRACE:
                worker.kill()
            elif worker.asked_at is None and worker.seconds > settings.job_seconds:
                worker.fail(f"It took longer than {settings.job_seconds:,.0f} seconds: {_ASK} (`ammg serve --hours`).")
            elif worker.asked_at is None and worker.megabytes > settings.job_megabytes:
                worker.fail(
                    f"It needed more than {settings.job_megabytes:,} MB of memory: {_ASK} (`ammg serve --megabytes`)."
                )

    def _settle(self, worker: Worker) -> None:
        """Handle the job of a worker that ended, unless the worker ended the job itself."""
        worker.kill()  # its children may still be running
        remove(self._store.settings, worker.claim.claim)
        if worker.failure:
            end(self._store, worker.claim, "failed", worker.failure)
        elif worker.asked == "cancel":
            end(self._store, worker.claim, "cancelled")
        elif worker.asked == "stop" or self._over.is_set():
            give_back(self._store, worker.claim, "the server was stopped", counts=False)
        else:
            give_back(self._store, worker.claim, f"its worker ended {worker.how_it_ended}")


def sweep(store: Store) -> int:
    """Remove files without a row: their transaction was never committed. Call it while no job runs here."""
    with store.reading() as session:
        known = set(session.scalars(select(FileRow.id)))
    removed = 0
    for file_id in list(store.files.ids()):
        if file_id not in known and time.time() - store.files.path(file_id).stat().st_mtime > 3600:
            store.files.remove(file_id)
            removed += 1
    return removed


def _claims(store: Store) -> set[str]:
    with store.reading() as session:
        return {claim for claim in session.scalars(select(JobRow.claim).where(JobRow.state == "running")) if claim}
