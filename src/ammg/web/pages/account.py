"""One's own account: the password, and where one is signed in."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from ammg.errors import InputError
from ammg.store.login import list_sessions, revoke_session, revoke_sessions
from ammg.store.people import change_password, me
from ammg.store.values import SessionInfo
from ammg.web.pages.shell import page
from ammg.web.parts.moments import ago
from ammg.web.parts.notices import tell
from ammg.web.parts.states import section
from ammg.web.visit import Visit


@page("/account", title="Account")
async def account(visit: Visit) -> None:
    """Password and sessions."""
    person = await visit.ask(me)
    with section("You"):
        kind = "Administrator" if person.is_administrator else "Member"
        ui.label(f"{person.full_name or person.name} · user name {person.name} · {kind}")
    with section("Password", f"At least {visit.store.settings.password_length} characters; all other sessions end."):
        old, new, again = (
            ui.input(words, password=True).props(f'outlined autocomplete="{kind}"').classes("w-80")
            for words, kind in (
                ("Old password", "current-password"),
                ("New password", "new-password"),
                ("New password again", "new-password"),
            )
        )

        async def change() -> None:
            if new.value != again.value:
                raise InputError("The new passwords differ: type the same one twice.")
            await visit.ask(change_password, old.value or "", new.value or "")
            for field in (old, new, again):
                field.value = ""
            tell("Your password was changed.")

        ui.button("Change the password", on_click=change).props("unelevated no-caps")
    await _sessions(visit)


async def _sessions(visit: Visit) -> None:
    with section("Where you are signed in"):
        lines = ui.column().classes("w-full")

    async def show() -> None:
        found = await visit.ask(list_sessions)
        lines.clear()
        with lines:
            for one in found:
                _session(one)
            if len(found) > 1:
                ui.button("End all others", on_click=end_others).props("outline no-caps")

    def _session(one: SessionInfo) -> None:
        with ui.row().classes("w-full items-center no-wrap ammg-line"):
            ui.icon("devices").classes("ammg-quiet")
            here = "this one" if one.is_current else "another browser"
            ui.label(f"Since {ago(one.created_at)}, used {ago(one.seen_at)} · {here}").classes("grow")
            if not one.is_current:
                ui.button("End", on_click=partial(end, one.id)).props("flat dense no-caps")

    async def end(session_id: str) -> None:
        await visit.ask(revoke_session, session_id)
        await show()

    async def end_others() -> None:
        await visit.ask(revoke_sessions)
        await show()

    await show()
