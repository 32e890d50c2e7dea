"""Jobs, databases, the audit log and the state of the system, for administrators."""

from __future__ import annotations

from dataclasses import fields
from datetime import timedelta
from typing import Any

from nicegui import ui

from ammg.store import audit, connections, operations
from ammg.store.health import health
from ammg.store.settings import Settings
from ammg.store.values import Connection
from ammg.web.parts.file_parts import button_link
from ammg.web.parts.measure_rows import fact_list
from ammg.web.parts.moments import moment, size
from ammg.web.parts.notices import tell
from ammg.web.parts.questions import confirmed
from ammg.web.parts.states import section
from ammg.web.visit import Visit

_PAUSE = 2.0
_ENTRIES = 200
_WRAPS = {"at": "white-space: nowrap", "details": "overflow-wrap: anywhere; min-width: 14rem"}
_LIMITS = {
    "upload_bytes": "Largest upload",
    "workers": "Jobs at once",
    "job_seconds": "Time per job",
    "job_megabytes": "Memory per job",
    "job_attempts": "Attempts of a job whose worker dies",
    "session_idle": "A session ends when idle for",
    "session_life": "A session ends after",
    "link_life": "A one-time link ends after",
    "failures_of_account": "Failed sign-ins of an account before it waits",
    "failures_of_address": "Failed sign-ins of an address before it waits",
    "password_length": "Shortest password",
}


class JobsPanel:
    """The jobs of all projects, as they go on."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit

    async def show(self) -> None:
        """The list, looked at again every two seconds."""
        with section("Jobs", "Of all projects. The owner of a project sees why its jobs failed."):
            columns = [
                {"name": name, "field": name, "label": name.capitalize(), "align": "left", "sortable": True}
                for name in ("state", "kind", "project", "by", "begun", "ended")
            ]
            columns.append({"name": "cancel", "field": "cancel", "label": "", "align": "right"})
            self._table = ui.table(columns=columns, rows=[], row_key="id", pagination=20)
            self._table.props("flat dense bordered").classes("w-full")
            self._table.add_slot(
                "body-cell-cancel",
                '<q-td :props="props"><q-btn v-if="!props.row.over" flat dense no-caps label="Cancel" '
                ":aria-label=\"'Cancel: ' + props.row.kind + ', ' + props.row.project\" "
                "@click=\"() => $parent.$emit('cancel', props.row.id)\" /></q-td>",
            )
            self._table.on("cancel", lambda event: self._cancel(str(event.args)))
        await self._fill()
        ui.timer(_PAUSE, self._fill)

    async def _fill(self) -> None:
        found = await self._visit.ask(operations.list_all_jobs)
        rows = [
            {
                "id": one.job.id,
                "state": _progress(one.job.state, one.job.done, one.job.total),
                "kind": one.job.kind,
                "project": one.project,
                "by": one.job.created_by,
                "begun": moment(one.job.created_at),
                "ended": moment(one.job.ended_at) if one.job.ended_at else "",
                "over": one.job.is_over,
            }
            for one in found
        ]
        if rows != self._table.rows:
            self._table.rows = rows

    async def _cancel(self, job_id: str) -> None:
        await self._visit.ask(operations.cancel_any_job, job_id)
        await self._fill()


class DatabasesPanel:
    """Databases that people may read from and write to, by name."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit

    async def show(self) -> None:
        """The list, and a form for another one."""
        with section("Databases", "People choose a database by its name, and never see its address."):
            self._list = ui.column().classes("w-full gap-0")
            with ui.row().classes("w-full items-center q-mt-sm"):
                self._name = ui.input("Name").props("outlined dense").classes("w-40")
                self._url = ui.input("Address, like postgresql://user:password@host/database")
                self._url.props("outlined dense type=password autocomplete=off").classes("grow")
                self._reads = ui.checkbox("read", value=True)
                self._writes = ui.checkbox("write")
                ui.button("Add", on_click=self._add).props("outline no-caps")
        await self._fill()

    async def _fill(self) -> None:
        found = await self._visit.ask(connections.list_connections)
        self._list.clear()
        with self._list:
            if not found:
                ui.label("None yet: data can be uploaded, and releases downloaded.").classes("ammg-quiet")
            for one in found:
                self._row(one)

    def _row(self, one: Connection) -> None:
        async def tried() -> None:
            await self._visit.ask(connections.try_connection, one.id)
            tell(f"'{one.name}' answers.")

        async def removed() -> None:
            if await confirmed("Remove this database?", f"'{one.name}' can no longer be used.", "Remove", harmful=True):
                await self._visit.ask(connections.remove_connection, one.id)
                await self._fill()

        with ui.row().classes("w-full items-center ammg-line q-py-xs"):
            with ui.column().classes("gap-0 grow"):
                ui.label(one.name).classes("font-medium")
                uses = " and ".join(word for word, may in (("read", one.reads), ("write", one.writes)) if may)
                ui.label(f"{one.url}: {uses or 'nothing'}").classes("text-caption ammg-quiet")
            ui.button("Test", on_click=tried).props("flat dense no-caps")
            ui.button("Remove", on_click=removed).props("flat dense no-caps")

    async def _add(self) -> None:
        given = (self._name.value or "", self._url.value or "", bool(self._reads.value), bool(self._writes.value))
        await self._visit.ask(connections.define_connection, *given)
        self._name.value = self._url.value = ""
        await self._fill()


class AuditPanel:
    """What everybody did, whether the chain is whole, and the export."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit

    async def show(self) -> None:
        """The newest entries first."""
        state = await self._visit.ask(audit.verify_chain)
        with section("Audit log", "Append-only; each entry contains the hash of the one before."):
            with ui.row().classes("w-full items-center"):
                colour, icon = ("ammg-good", "verified") if state.intact else ("ammg-bad", "gpp_bad")
                with ui.row().classes(f"items-center gap-1 grow {colour}"):
                    ui.icon(icon).props('aria-hidden="true"')
                    told = f"{state.entries:,} entries, the chain is intact."
                    broken = f"The chain is broken at entry {state.first_broken}: {state.reason}"
                    ui.label(told if state.intact else broken)
                button_link("Export", "/api/v1/audit/export", "download", new_tab=False)
            after = max(state.entries - _ENTRIES, 0)
            found = await self._visit.ask(audit.list_entries, None, after, _ENTRIES)
            columns = [
                {
                    "name": name,
                    "field": name,
                    "label": name.capitalize(),
                    "align": "left",
                    "style": _WRAPS.get(name, ""),
                }
                for name in ("number", "at", "who", "did", "subject", "details")
            ]
            rows = [
                {
                    "number": one.number,
                    "at": moment(one.at),
                    "who": one.actor or "the system",
                    "did": one.action,
                    "subject": one.subject,
                    "details": ", ".join(f"{name}: {value}" for name, value in one.details.items())[:200],
                }
                for one in reversed(found)
            ]
            shown = ui.table(columns=columns, rows=rows, row_key="number", pagination=20)
            shown.props("flat dense bordered wrap-cells").classes("w-full")
            if after:
                ui.label(f"The newest {len(rows)} are shown; the export has all.").classes("ammg-quiet")


async def system_panel(visit: Visit) -> None:
    """Storage that is used, how the server is, and the limits that were set when it was started."""
    used = await visit.ask(operations.storage)
    state = health(visit.store)
    with section("Storage"):
        fact_list(
            {
                "Originals": size(used.originals),
                "Masked files and what belongs to them": size(used.masked_files),
                "Reports": size(used.reports),
                "Searches that can be resumed": size(used.other),
                "Database": size(used.database),
                "Free on the disk": size(used.free),
            }
        )
    with section("Server"):
        facts = {"AMMG": state.version, "Database": state.database, "Files": state.files}
        fact_list(facts | {f"Jobs {name}": str(count) for name, count in state.jobs.items()})
    with section("Limits", "Set when the server is started (`ammg serve --help`)."):
        fact_list({words: _limit(visit.store.settings, name) for name, words in _LIMITS.items()})


def _limit(settings: Settings, name: str) -> str:
    assert name in {field.name for field in fields(settings)}
    value: Any = getattr(settings, name)
    if isinstance(value, timedelta):
        hours = value.total_seconds() / 3600
        return f"{hours / 24:g} days" if hours >= 48 else f"{hours:g} hours"
    if name.endswith("bytes"):
        return size(value) if name == "upload_bytes" else f"{value:,} MB"
    return f"{value:,.0f} seconds" if name.endswith("seconds") else f"{value:,}"


def _progress(state: str, done: float, total: float) -> str:
    return f"{state} ({done / total:.0%})" if state == "running" and total else state
