"""The last stage: the release checks, a review by somebody else, and the release."""

from __future__ import annotations

from nicegui import ui

from ammg.errors import InputError
from ammg.store.connections import list_connections
from ammg.store.masked_files import list_masked_files
from ammg.store.releases import list_releases, start_release
from ammg.store.reviews import list_reviews, submit
from ammg.store.values import Job, MaskedFile, Release, Review
from ammg.store.work import list_jobs
from ammg.web.pages.shell import page
from ammg.web.parts.job_progress import JobProgress
from ammg.web.parts.limit_lights import findings
from ammg.web.parts.members import MembersPanel
from ammg.web.parts.moments import moment
from ammg.web.parts.notices import tell
from ammg.web.parts.review_card import ReviewCard
from ammg.web.parts.states import empty, section
from ammg.web.visit import Visit


@page("/projects/{project_id}/release", title="Release", stage="release")
async def release(visit: Visit) -> None:
    """Everything between a masked file and its release."""
    await _Stage(visit).show()


class _Stage:
    """The page, built again whenever something is decided."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._middle = ui.column().classes("w-full gap-0")

    async def show(self) -> None:
        visit = self._visit
        files = await visit.ask(list_masked_files, visit.project_id)
        reviews = await visit.ask(list_reviews, visit.project_id)
        releases = await visit.ask(list_releases, visit.project_id)
        running = [job for job in await visit.ask(list_jobs, visit.project_id) if job.kind == "release"]
        self._middle.clear()
        with self._middle:
            if not files:
                with empty("There is no masked file to release", "Make one on the page Result.", "outbox"):
                    address = f"/projects/{visit.project_id}/result"
                    ui.button("Result", on_click=lambda: ui.navigate.to(address)).props("outline no-caps")
            for job in running:
                if not job.is_over:
                    self._follow(job)
            self._released(releases)
            done = {one.masked_file_id for one in releases}
            for review in reviews:
                if review.state == "approved" and review.masked_file_id not in done and visit.is_owner:
                    await self._release_form(review)
            busy = done | {one.masked_file_id for one in reviews if one.state in ("submitted", "approved")}
            open_files = {one.id: one for one in files if one.id not in busy}
            if visit.is_owner and open_files:
                self._submission(open_files)
            self._reviews(reviews, {one.id: one.evaluation_id for one in files})
            await MembersPanel(visit).show()

    def _released(self, releases: tuple[Release, ...]) -> None:
        if not releases:
            return
        with section("Releases", "These files were released. A release never changes."):
            for one in releases:
                with ui.row().classes("w-full items-center ammg-line q-py-xs"):
                    ui.link(one.name, f"/projects/{self._visit.project_id}/releases/{one.id}").classes("font-medium")
                    told = f"released {moment(one.released_at)} by {one.released_by}, approved by {one.approved_by}"
                    ui.label(told).classes("ammg-quiet")
                    if one.withdrawn_at:
                        ui.label("withdrawn").classes("ammg-bad")

    def _submission(self, files: dict[str, MaskedFile]) -> None:
        names = {one.id: f"{one.name} (version {one.version}, {one.records:,} records)" for one in files.values()}
        with section("Submit for review", "A reviewer reads the reports and decides whether the file may be released."):
            chosen = ui.select(names, value=next(iter(names)), label="Masked file").props("outlined dense")
            chosen.classes("w-full")
            found = ui.column().classes("w-full")
            statement = ui.textarea("What the reviewer should know").props("outlined dense autogrow rows=2")
            statement.classes("w-full")
            reason = ui.textarea("Reason for releasing it although checks or limits fail (required)")
            reason.props("outlined dense autogrow rows=2 color=negative").classes("w-full")

            def look() -> None:
                file = files[str(chosen.value)]
                found.clear()
                with found:
                    _gate(file)
                reason.visible = file.needs_reason

            async def submitted() -> None:
                file = files[str(chosen.value)]
                given = (reason.value or "").strip() if file.needs_reason else ""
                if file.needs_reason and not given:
                    reason.props('error error-message="Write why the file may be released."')
                    raise InputError("Checks or limits fail: write why the file may be released.")
                await self._visit.ask(submit, self._visit.project_id, file.id, statement.value or "", given)
                tell(f"'{file.name}' was submitted to the review panel.")
                await self.show()

            chosen.on_value_change(look)
            look()
            ui.button("Submit for review", icon="send", on_click=submitted).props("unelevated no-caps")

    async def _release_form(self, review: Review) -> None:
        found = await self._visit.ask(list_connections)
        connections = {one.id: one.name for one in found if one.writes}
        with section(
            f"Release '{review.masked_file}'", f"Approved by {review.decided_by}. A release cannot be changed."
        ):
            table = None
            chosen = None
            if connections:
                with ui.row().classes("w-full items-center"):
                    chosen = ui.select({"": "no table, download only", **connections}, value="", label="Also write to")
                    chosen.props("outlined dense").classes("w-64")
                    table = ui.input("Name of the new table").props("outlined dense").classes("w-64")
                    table.bind_visibility_from(chosen, "value", bool)

            async def released() -> None:
                connection = str(chosen.value) if chosen is not None and chosen.value else None
                name = (table.value or "").strip() if table is not None and connection else None
                if connection and not name:
                    raise InputError("Name the table that the file is written to.")
                job = await self._visit.ask(start_release, self._visit.project_id, review.id, connection, name)
                with self._middle:
                    self._follow(job)

            ui.button("Release", icon="outbox", on_click=released).props("unelevated no-caps")

    def _follow(self, job: Job) -> None:
        async def ended(job: Job) -> None:
            if job.state == "finished":
                ui.navigate.to(f"/projects/{self._visit.project_id}/releases/{job.result['release_id']}")
            else:
                await self.show()

        with ui.card().classes("ammg-card") as card:
            JobProgress(self._visit, job, "Releasing", ended)
        card.move(target_index=0)

    def _reviews(self, reviews: tuple[Review, ...], evaluations: dict[str, str | None]) -> None:
        if reviews:
            ui.label("Reviews").props('role="heading" aria-level="2"').classes("ammg-section q-my-sm")
        for review in reviews:
            ReviewCard(self._visit, review, evaluations.get(review.masked_file_id), self.show).show()


def _gate(file: MaskedFile) -> None:
    """What is for and against a file."""
    findings("Limits not met:", file.broken)
    findings("Release checks failed:", file.gate)
    if file.force:
        ui.label(f"It was made in spite of them: {file.force}").classes("ammg-prose ammg-bad")
    if not file.needs_reason:
        with ui.row().classes("items-center gap-1 ammg-good"):
            ui.icon("check_circle").props('aria-hidden="true"')
            ui.label("All limits are met, and all release checks passed.")
    for note in file.notes:
        ui.label(note).classes("ammg-quiet ammg-prose")
