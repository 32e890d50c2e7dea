"""The state of the server, for monitoring."""

from __future__ import annotations

import os
import shutil

from sqlalchemy import func, select

from ammg.errors import Refusal
from ammg.store.models.work import JobRow
from ammg.store.store import Store
from ammg.store.values import Health
from ammg.version import __version__

_SCARCE = 2**30


def health(store: Store) -> Health:
    """Whether database and files are usable, and how many jobs wait and run; public, and without names."""
    try:
        with store.reading() as session:
            counts = session.execute(
                select(JobRow.state, func.count())
                .where(JobRow.state.in_(("waiting", "running")))
                .group_by(JobRow.state)
            )
            jobs = {"waiting": 0, "running": 0, **{row[0]: row[1] for row in counts}}
        database = "ok"
    except Refusal:
        jobs, database = {}, "unavailable"
    folder = store.settings.data
    usable = os.access(folder, os.R_OK | os.W_OK | os.X_OK)
    free = shutil.disk_usage(folder).free if usable else 0
    files = "ok" if usable and free > _SCARCE else "nearly full" if usable else "unavailable"
    status = "ok" if (database, files) == ("ok", "ok") else "degraded"
    return Health(status, __version__, database, files, free, jobs, store.settings.workers)
