"""Jobs as they go on, as server-sent events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from threading import Event

from starlette.concurrency import run_in_threadpool

from ammg.errors import Refusal
from ammg.store.login import authenticate
from ammg.store.store import Store
from ammg.store.values import Job, JobEvent
from ammg.store.work import events, get_job

_SHOWN = ("state", "done", "total", "label", "reason", "result")
_PAUSE = 0.5
_SILENCE = 30
"""Looks without news after which a comment keeps proxies from closing the stream."""


async def stream(store: Store, key: str, job_id: str, after: int, stopping: Event) -> AsyncIterator[str]:
    """Every event after a number, and how far the job is, until it is over, the session ends or the server stops."""
    shown, silent = "", 0
    while not stopping.is_set():
        try:
            job, news = await run_in_threadpool(_looked, store, key, job_id, after)
        except Refusal as error:
            yield _event("refused", str(error))
            return
        for one in news:
            after = one.number
            plain = {"at": one.at.isoformat(), "text": one.text}
            yield f"id: {one.number}\n{_event(one.kind, json.dumps(plain))}"
        state = json.dumps({name: getattr(job, name) for name in _SHOWN})
        if state != shown:
            yield _event("progress", state)
        silent = 0 if news or state != shown else silent + 1
        shown = state
        if job.is_over:
            yield _event("end", json.dumps(job.state))
            return
        if silent and silent % _SILENCE == 0:
            yield ": waiting\n\n"
        await asyncio.sleep(_PAUSE)


def _looked(store: Store, key: str, job_id: str, after: int) -> tuple[Job, tuple[JobEvent, ...]]:
    """The job first: what it logged before it was over is then among the events."""
    actor = authenticate(store, key)
    job = get_job(store, actor, job_id)
    return job, events(store, actor, job_id, after)


def _event(kind: str, data: str) -> str:
    return f"event: {kind}\ndata: {data}\n\n"
