"""One release: what left, by whom, with checksums; nothing on this page can change it."""

from __future__ import annotations

from nicegui import ui

from ammg.store.releases import get_release, withdraw
from ammg.store.reviews import get_review
from ammg.store.values import Release, Review
from ammg.web.pages.shell import page
from ammg.web.parts.file_parts import button_link, part_row
from ammg.web.parts.limit_lights import findings
from ammg.web.parts.measure_rows import fact_list
from ammg.web.parts.moments import moment
from ammg.web.parts.states import section
from ammg.web.visit import Visit


@page("/projects/{project_id}/releases/{release_id}", title="Release", stage="release")
async def released(visit: Visit) -> None:
    """The page of a release."""
    found = await visit.ask(get_release, visit.project_id, visit.arguments["release_id"])
    review = await visit.ask(get_review, visit.project_id, found.review_id)
    address = f"/api/v1/projects/{visit.project_id}/releases/{found.id}/files"
    if found.withdrawn_at:
        _withdrawn(found)
    with section(found.name):
        fact_list(_facts(found))
        _reasons(review)
    with section("Files", "The SHA-256 checksum proves that a file is the one that was released."):
        if any(part.name == "report" for part in found.files):
            button_link("Open the public report", f"{address}/report?opened=true", "description")
        for part in found.files:
            part_row(part, f"{address}/{part.name}", checksum=True)
    if visit.is_owner and not found.withdrawn_at:
        _withdraw_form(visit, found)


def _facts(found: Release) -> dict[str, str]:
    facts = {
        "Released": f"{moment(found.released_at)} by {found.released_by}",
        "Approved by": found.approved_by,
        "Release": found.id,
    }
    if found.connection:
        facts["Written to"] = f"table {found.table} of {found.connection}"
    return facts


def _reasons(review: Review) -> None:
    """What failed, and why it was released all the same."""
    findings("Limits not met:", review.broken)
    findings("Forced although these release checks failed:", review.gate)
    for who, reason in ((review.submitted_by, review.reason), (review.decided_by, review.decision)):
        if reason:
            ui.label(f"{who}: {reason}").classes("ammg-prose" + (" ammg-bad" if review.needs_reason else ""))


def _withdrawn(found: Release) -> None:
    with ui.card().classes("ammg-card ammg-bad").props('role="alert"'):
        at = moment(found.withdrawn_at) if found.withdrawn_at else ""
        ui.label(f"Withdrawn {at} by {found.withdrawn_by}: {found.withdrawn_reason}").classes("ammg-prose")
        ui.label("Only its owner can still download it; nothing was deleted.")


def _withdraw_form(visit: Visit, found: Release) -> None:
    with section("Withdraw", "Withdrawing is recorded and stops further downloads; nothing is deleted."):
        reason = ui.textarea("Reason").props("outlined dense autogrow rows=1").classes("w-full")

        async def withdrawn() -> None:
            await visit.ask(withdraw, visit.project_id, found.id, reason.value or "")
            ui.navigate.reload()

        ui.button("Withdraw the release", on_click=withdrawn, color="negative").props("outline no-caps")
