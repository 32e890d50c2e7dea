"""People and invitations, for administrators."""

from __future__ import annotations

from nicegui import ui

from ammg.store import people
from ammg.store.values import NewInvitation, User
from ammg.web.doors import WELCOME
from ammg.web.parts.moments import moment
from ammg.web.parts.notices import tell
from ammg.web.parts.questions import confirmed
from ammg.web.parts.states import section
from ammg.web.visit import Visit

_KINDS = {"invite": "invitation", "reset": "new password", "first": "first administrator"}


class PeoplePanel:
    """Accounts, and links that make or reset them."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit

    async def show(self) -> None:
        """Both lists."""
        with section("Invite", "The link works once. Pass it on in person, by telephone or encrypted."):
            with ui.row().classes("w-full items-center"):
                self._note = ui.input("Who it is for").props("outlined dense maxlength=200").classes("w-64")
                self._note.on("keydown.enter", self._invite)
                self._makes = ui.checkbox("as an administrator")
                ui.button("Make a link", icon="link", on_click=self._invite).props("unelevated no-caps")
            self._link = ui.column().classes("w-full")
            self._open = ui.column().classes("w-full gap-0")
        with section("People"):
            self._people = ui.column().classes("w-full gap-0")
        await self._fill()

    async def _fill(self) -> None:
        users = await self._visit.ask(people.list_users)
        links = await self._visit.ask(people.list_invitations)
        self._people.clear()
        with self._people:
            for user in users:
                self._row(user)
        self._open.clear()
        with self._open:
            for one in links:
                if one.used_at is None:
                    with ui.row().classes("w-full items-center ammg-line q-py-xs"):
                        whom = f" for {one.note}" if one.note else ""
                        right = ", as an administrator" if one.is_administrator else ""
                        told = (
                            f"Open link ({_KINDS.get(one.kind, one.kind)}){whom}{right}, until {moment(one.expires_at)}"
                        )
                        ui.label(told).classes("grow")
                        ui.button("Revoke", on_click=lambda one=one: self._revoke(one.id)).props("flat dense no-caps")

    def _row(self, user: User) -> None:
        own = user.id == self._visit.actor.user_id
        with ui.row().classes("w-full items-center ammg-line q-py-xs"):
            with ui.column().classes("gap-0 grow"):
                ui.label(user.name).classes("font-medium" if user.is_active else "ammg-quiet")
                full = f"{user.full_name}, " if user.full_name else ""
                ui.label(f"{full}since {moment(user.created_at)}").classes("text-caption ammg-quiet")
            active = ui.switch("active", value=user.is_active)
            active.props["aria-label"] = f"{user.name} is active"
            active.on_value_change(lambda: self._set_active(user, bool(active.value)))
            admin = ui.switch("administrator", value=user.is_administrator)
            admin.props["aria-label"] = f"{user.name} is an administrator"
            admin.on_value_change(lambda: self._set_administrator(user, bool(admin.value)))
            active.set_enabled(not own)
            admin.set_enabled(not own)
            ui.button("New password", on_click=lambda: self._reset(user)).props("flat dense no-caps").tooltip(
                "Create a link to set a new password"
            )

    async def _invite(self) -> None:
        made = await self._visit.ask(people.invite, bool(self._makes.value), self._note.value or "")
        self._note.value, self._makes.value = "", False
        await self._fill()
        self._show_link(made, "the invitation")

    async def _reset(self, user: User) -> None:
        made = await self._visit.ask(people.reset_link, user.id)
        await self._fill()
        self._show_link(made, f"a new password of {user.name}")

    def _show_link(self, made: NewInvitation, what: str) -> None:
        self._link.clear()
        until = moment(made.invitation.expires_at)
        with self._link:
            ui.label(f"The link for {what}, until {until}. It is shown only now:")
            shown = ui.input("One-time link").props("readonly outlined dense").classes("w-full ammg-hash")
            shown.value = f"{self._visit.origin}{WELCOME}#{made.token}"

    async def _revoke(self, invitation_id: str) -> None:
        await self._visit.ask(people.revoke_invitation, invitation_id)
        self._link.clear()
        await self._fill()

    async def _set_active(self, user: User, value: bool) -> None:
        sure = value or await confirmed(
            "Close this account?", f"{user.name} is signed out everywhere at once.", "Close the account", harmful=True
        )
        if sure:
            await self._visit.ask(people.set_user_active, user.id, value)
            tell(f"{user.name} is {'active' if value else 'no longer active'}.")
        await self._fill()

    async def _set_administrator(self, user: User, value: bool) -> None:
        await self._visit.ask(people.set_administrator, user.id, value)
        tell(f"{user.name} is {'an' if value else 'no longer an'} administrator.")
        await self._fill()
