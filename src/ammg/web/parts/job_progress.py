"""A job as it goes on: how far it is, what it says, a button that ends it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import background_tasks, ui

from ammg.errors import AmmgError
from ammg.store.values import Job
from ammg.store.work import cancel_job, get_job
from ammg.web.parts.notices import tell_error
from ammg.web.visit import Visit

_PAUSE = 0.5
_WORDS = {"waiting": "waiting for a worker", "running": "running", "cancelled": "was cancelled"}


class JobProgress:
    """Follows one job and calls `on_end` with it when it is over; built where it is called."""

    def __init__(
        self,
        visit: Visit,
        job: Job,
        title: str,
        on_end: Callable[[Job], Awaitable[None] | None] | None = None,
    ) -> None:
        self._visit, self._job, self._on_end, self._is_looking = visit, job, on_end, False
        self._client = ui.context.client
        with ui.column().classes("ammg-job w-full").props('role="status"') as self.element:
            with ui.row().classes("w-full items-center no-wrap"):
                ui.label(title).classes("font-medium")
                self._words = ui.label().classes("ammg-quiet grow")
                self._cancel = ui.button("Cancel", on_click=self._cancelled).props("flat dense no-caps")
            self._bar = ui.linear_progress(show_value=False).props("instant-feedback")
            self._bar.props["aria-label"] = f"Progress: {title}"
        self._timer = ui.timer(_PAUSE, self._look)
        self._show(job)

    async def _look(self) -> None:
        if self._is_looking:
            return
        self._is_looking = True
        try:
            job = await self._visit.ask(get_job, self._job.id)
        except AmmgError as error:
            self._timer.deactivate()
            tell_error(error)
            return
        finally:
            self._is_looking = False
        self._job = job
        self._show(job)
        if job.is_over:
            self._timer.deactivate()
            if self._on_end is not None:
                # On its own: what it does may remove this element, and with it the timer that runs here.
                background_tasks.create(self._end(job, self._on_end), context=self._client)

    async def _end(self, job: Job, on_end: Callable[[Job], Awaitable[None] | None]) -> None:
        ended = on_end(job)
        if ended is not None:
            await ended

    async def _cancelled(self) -> None:
        self._cancel.disable()
        await self._visit.ask(cancel_job, self._job.id)

    def _show(self, job: Job) -> None:
        share = job.done / job.total if job.total else 0.0
        words = _WORDS.get(job.state, job.state)
        if job.state == "running" and job.label:
            words = job.label
        if job.state == "failed":
            words = f"failed: {job.reason}"
        self._words.text = words
        self._bar.value = 1.0 if job.state == "finished" else min(share, 1.0)
        if job.state == "running" and not job.total:
            self._bar.props("indeterminate")
        else:
            self._bar.props(remove="indeterminate")
        self._bar.props(f"color={'negative' if job.state == 'failed' else 'primary'}")
        self._cancel.visible = not job.is_over and self._visit.may_work
