"""The files that belong to a masked file or a release: addresses, sizes, checksums."""

from __future__ import annotations

from nicegui import ui

from ammg.store.values import MaskedFile, Part
from ammg.web.parts.moments import size
from ammg.web.parts.states import section
from ammg.web.visit import Visit

WORDS = {
    "masked": "The masked file",
    "codebook": "Codebook",
    "summary": "Guide for users of the file",
    "report": "Public report",
    "internal_report": "Internal report, for the review panel",
    "project": "Project file that reproduces it",
    "secret": "Secret: anybody who has it can undo the masking",
    "link": "Link from masked to original records",
    "provenance": "Provenance",
    "evaluation": "Everything that was measured",
}
_ROLES = {"public": "public", "team": "all members", "internal": "owner and reviewers", "private": "owner alone"}
_REPORTS = ("report", "internal_report")


def report_links(visit: Visit, file: MaskedFile) -> None:
    """Buttons that open the reports that the person may read."""
    with ui.row():
        for part in file.parts:
            if part.name in _REPORTS:
                words = "Open the public report" if part.name == "report" else "Open the internal report"
                button_link(words, f"{masked_address(visit, file.id, part.name)}?opened=true", "description")


def part_list(visit: Visit, file: MaskedFile) -> None:
    """All files that the person may read."""
    with section(f"Files of '{file.name}'", "Public files are part of a release; everything else stays here."):
        for part in file.parts:
            if part.name in WORDS:
                part_row(part, masked_address(visit, file.id, part.name))


def part_row(part: Part, address: str, *, checksum: bool = False) -> None:
    """One file with its links."""
    with ui.row().classes("w-full items-center ammg-line q-py-xs"):
        with ui.column().classes("gap-0 grow"):
            ui.label(WORDS.get(part.name, part.name)).classes("font-medium")
            who = _ROLES.get(part.role, part.role)
            ui.label(f"{part.file_name} · {size(part.size)} · {who}").classes("text-caption ammg-quiet")
            if checksum and part.sha256:
                ui.label(f"SHA-256 {part.sha256}").classes("text-caption ammg-hash")
        if part.name in _REPORTS:
            button_link("Open", f"{address}?opened=true", "open_in_new", label=f"Open {part.file_name}")
        button_link("Download", address, "download", label=f"Download {part.file_name}", new_tab=False)


def button_link(words: str, address: str, icon: str, *, label: str = "", new_tab: bool = True) -> ui.button:
    """A link that looks like a button; the browser fetches the file itself."""
    button = ui.button(words, icon=icon).props("outline no-caps dense type=a").classes("q-px-sm")
    button.props["href"] = address
    if new_tab:
        button.props('target="_blank" rel="noopener"')
    if label:
        button.props["aria-label"] = label
    return button


def masked_address(visit: Visit, masked_file_id: str, part: str) -> str:
    """Where a part of a masked file is."""
    return f"/api/v1/projects/{visit.project_id}/masked-files/{masked_file_id}/parts/{part}"
