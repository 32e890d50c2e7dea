"""Name and description of a project, and its end; for the owner."""

from __future__ import annotations

from nicegui import ui

from ammg.store.projects import change_project, remove_project
from ammg.web.parts.questions import confirmed
from ammg.web.visit import Visit


def project_settings(visit: Visit) -> None:
    """A form that is closed until somebody wants it."""
    project = visit.project
    with (
        ui.expansion("Project settings", icon="settings").classes("w-full ammg-card-like"),
        ui.column().classes("w-full"),
    ):
        name = ui.input("Project name", value=project.name).props("outlined dense maxlength=120").classes("w-full")
        words = ui.textarea("Description (optional)", value=project.description).props("outlined dense rows=2")
        words.classes("w-full")

        async def save() -> None:
            await visit.ask(change_project, project.id, name.value or "", words.value or "")
            ui.navigate.reload()

        async def remove() -> None:
            said = f"'{project.name}' is deleted with its data, versions and masked files. This cannot be undone."
            if await confirmed("Remove the project?", said, "Remove", harmful=True):
                await visit.ask(remove_project, project.id)
                ui.navigate.to("/")

        with ui.row().classes("w-full items-center"):
            ui.button("Save", icon="save", on_click=save).props("unelevated no-caps")
            ui.space()
            ui.button("Remove the project", icon="delete", on_click=remove, color="negative").props("outline no-caps")
