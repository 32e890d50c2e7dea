"""What the tabs of the page share: the document that is edited, and one way to save it."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from ammg.projects.attributes.lines import AttributeLine, attribute_lines
from ammg.store.values import DataSet
from ammg.store.versions import create_version
from ammg.web.parts.notices import tell
from ammg.web.visit import Visit


class Desk:
    """The current version, as this page sees it; another tab may make a newer one, and saving then says so."""

    def __init__(self, visit: Visit, source: DataSet, analysis: dict[str, Any]) -> None:
        assert visit.version is not None
        self.visit, self.source, self.analysis = visit, source, analysis
        self.number, self.document = visit.version.number, visit.version.document
        self.changes: dict[str, dict[str, str]] = {}
        """Fields of attributes that were edited and not saved: they outlive a look at another tab."""

    def lines(self) -> tuple[AttributeLine, ...]:
        """The attributes as the document has them."""
        return attribute_lines(self.document, self.analysis)

    def names(self, *roles: str) -> list[str]:
        """Attributes that have one of these roles; without roles, all."""
        return [line.name for line in self.lines() if not roles or line.role in roles]

    async def save(self, document: dict[str, Any], remark: str) -> None:
        """Keep the document as the new current version.

        Raises:
            Conflict: somebody made another version meanwhile.
            ProjectError: all problems of the document.
        """
        visit = self.visit
        made = await visit.ask(create_version, visit.project_id, document, remark, self.number)
        self.number, self.document = made.number, made.document
        tell(f"Saved as version {made.number}.")

    def needs_rights(self) -> bool:
        """Say that something is for the owner, and whether it is."""
        if not self.visit.is_owner:
            ui.label("Only the owner of the project sees values and single records.").classes("ammg-quiet")
        return not self.visit.is_owner
