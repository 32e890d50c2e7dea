"""Who works on a project, and who reviews it."""

from __future__ import annotations

from nicegui import ui

from ammg.store.members import GIVEN, list_members, remove_member, set_member
from ammg.store.values import Member
from ammg.web.parts.notices import tell
from ammg.web.parts.questions import confirmed
from ammg.web.parts.states import section
from ammg.web.visit import Visit

_MEANS = {
    "owner": "owns the data, submits and releases",
    "analyst": "chooses methods and makes masked files",
    "reviewer": "approves releases, or returns them",
}


class MembersPanel:
    """The members, and for the owner a form that adds one."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit

    async def show(self) -> None:
        """List everybody."""
        with section("People of this project", "A reviewer who did not work on the file approves its release."):
            self._list = ui.column().classes("w-full gap-0")
            if self._visit.is_owner:
                self._form()
        await self._fill()

    def _form(self) -> None:
        with ui.row().classes("w-full items-center q-mt-sm"):
            self._name = ui.input("User name").props("outlined dense").classes("w-64")
            self._name.on("keydown.enter", self._add)
            self._role = ui.select(list(GIVEN), value=GIVEN[-1], label="Role").props("outlined dense").classes("w-40")
            ui.button("Add", on_click=self._add).props("outline no-caps")

    async def _fill(self) -> None:
        found = await self._visit.ask(list_members, self._visit.project_id)
        self._list.clear()
        with self._list:
            for member in found:
                self._row(member)

    def _row(self, member: Member) -> None:
        with ui.row().classes("w-full items-center ammg-line q-py-xs"):
            with ui.column().classes("gap-0 grow"):
                full = f" ({member.full_name})" if member.full_name else ""
                ui.label(f"{member.name}{full}").classes("font-medium")
                ui.label(f"{member.role}: {_MEANS[member.role]}").classes("text-caption ammg-quiet")
            if self._visit.is_owner and member.role != "owner":
                remove = ui.button(icon="person_remove", on_click=lambda: self._remove(member)).props(
                    "flat round dense"
                )
                remove.props["aria-label"] = f"Remove {member.name}"

    async def _add(self) -> None:
        made = await self._visit.ask(
            set_member, self._visit.project_id, (self._name.value or "").strip(), str(self._role.value)
        )
        self._name.value = ""
        tell(f"{made.name} is {made.role} of this project.")
        await self._fill()

    async def _remove(self, member: Member) -> None:
        if await confirmed("Remove from the project?", f"{member.name} will no longer see it.", "Remove", harmful=True):
            await self._visit.ask(remove_member, self._visit.project_id, member.user_id)
            await self._fill()
