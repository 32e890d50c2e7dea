"""A review as its panel sees it: what is against the file, who said what, and what can be decided."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from ammg.store.reviews import approve, comment, return_for_changes, take_back
from ammg.store.values import Review
from ammg.web.parts.file_parts import button_link, masked_address
from ammg.web.parts.limit_lights import findings
from ammg.web.parts.moments import moment
from ammg.web.parts.notices import tell
from ammg.web.visit import Visit

_STATES = {
    "submitted": ("hourglass_top", "waits for a reviewer", "ammg-odd"),
    "approved": ("verified", "approved", "ammg-good"),
    "returned": ("undo", "returned for changes", "ammg-bad"),
    "taken back": ("block", "taken back by the owner", "ammg-quiet"),
}


class ReviewCard:
    """One review; `changed` is called when something was decided."""

    def __init__(
        self, visit: Visit, review: Review, evaluation_id: str | None, changed: Callable[[], Awaitable[None]]
    ) -> None:
        self._visit, self._review, self._evaluation_id, self._changed = visit, review, evaluation_id, changed

    def show(self) -> None:
        """The whole card."""
        review = self._review
        with ui.card().classes("ammg-card").props(f'id="review-{review.id}"'):
            with ui.row().classes("w-full items-center"):
                ui.label(review.masked_file).props('role="heading" aria-level="3"').classes("ammg-section grow")
                icon, words, colour = _STATES[review.state]
                with ui.row().classes(f"items-center gap-1 {colour}"):
                    ui.icon(icon).props('aria-hidden="true"')
                    ui.label(words)
            ui.label(f"Submitted by {review.submitted_by}, {moment(review.submitted_at)}").classes("ammg-quiet")
            if review.statement:
                ui.label(review.statement).classes("ammg-prose")
            findings("Limits not met:", review.broken)
            findings("Forced although these release checks failed:", review.gate)
            if review.reason:
                ui.label(f"Reason given by the owner: {review.reason}").classes("ammg-prose ammg-bad")
            self._papers()
            self._comments()
            if review.decided_by and review.state != "taken back":
                said = f": {review.decision}" if review.decision else "."
                at = moment(review.decided_at) if review.decided_at else ""
                ui.label(f"{words.capitalize()} by {review.decided_by}, {at}{said}").classes(f"ammg-prose {colour}")
            if review.state == "submitted":
                self._decisions()

    def _papers(self) -> None:
        """What a reviewer reads."""
        visit, file = self._visit, self._review.masked_file_id
        with ui.row():
            button_link("Public report", f"{masked_address(visit, file, 'report')}?opened=true", "description")
            if visit.role in ("owner", "reviewer"):
                address = f"{masked_address(visit, file, 'internal_report')}?opened=true"
                button_link("Internal report", address, "description")
            result = f"/projects/{visit.project_id}/result?evaluation={self._evaluation_id or ''}"
            button_link("Result", result, "query_stats", new_tab=False)

    def _comments(self) -> None:
        review = self._review
        for one in review.comments:
            with ui.column().classes("gap-0 ammg-comment"):
                ui.label(f"{one.by}, {moment(one.at)}").classes("text-caption ammg-quiet")
                ui.label(one.text).classes("ammg-prose")
        if review.state not in ("submitted", "approved"):
            return
        with ui.row().classes("w-full items-end no-wrap"):
            said = ui.textarea("Comment").props("outlined dense autogrow rows=1").classes("grow")

            async def say() -> None:
                await self._visit.ask(comment, self._visit.project_id, review.id, said.value or "")
                await self._changed()

            ui.button("Comment", on_click=say).props("outline no-caps")

    def _decisions(self) -> None:
        visit, review = self._visit, self._review
        if visit.role == "reviewer":
            needed = (
                " (required, because checks or limits fail)"
                if review.needs_reason
                else " (required to return the file)"
            )
            reason = ui.textarea(f"Reason{needed}").props("outlined dense autogrow rows=1").classes("w-full")

            async def approved() -> None:
                await visit.ask(approve, visit.project_id, review.id, reason.value or "")
                tell("The file is approved: its owner can release it.")
                await self._changed()

            async def returned() -> None:
                await visit.ask(return_for_changes, visit.project_id, review.id, reason.value or "")
                tell("The file is returned.")
                await self._changed()

            with ui.row():
                ui.button("Approve", icon="check", on_click=approved).props("unelevated no-caps color=positive")
                ui.button("Return for changes", icon="undo", on_click=returned).props("outline no-caps")
        elif visit.is_owner:

            async def taken() -> None:
                await visit.ask(take_back, visit.project_id, review.id)
                await self._changed()

            ui.button("Take back", on_click=taken).props("flat no-caps")
