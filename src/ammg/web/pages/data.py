"""The first stage: upload a file or read a table, see what was recognised and what is odd."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from nicegui import ui

from ammg.errors import AmmgError
from ammg.store.connections import list_connections
from ammg.store.data_sets import analysis, first_records, import_table, list_data_sets, remove_data_set
from ammg.store.values import Connection, DataSet, Job
from ammg.store.work import list_jobs
from ammg.web.pages.shell import page
from ammg.web.parts.job_progress import JobProgress
from ammg.web.parts.moments import ago, size
from ammg.web.parts.notices import tell, warn
from ammg.web.parts.project_settings import project_settings
from ammg.web.parts.questions import asking, confirmed
from ammg.web.parts.states import empty, section
from ammg.web.parts.tables import record_table
from ammg.web.parts.uploads import uploader
from ammg.web.visit import Visit

_ALERTS = 20
"""Of what is odd that is shown at first."""
_FORMATS = "CSV, Parquet, Excel, SPSS, Stata, SAS, or fixed width with a layout; a codebook beside it is read too."


@page("/projects/{project_id}", title="Data", stage="data")
@page("/projects/{project_id}/data", title="Data", stage="data")
async def data(visit: Visit) -> None:
    """All data sets of the project, and what the analysis says about one of them."""
    middle = ui.column().classes("w-full gap-0")

    async def show() -> None:
        found = await visit.ask(list_data_sets, visit.project_id)
        jobs = await visit.ask(list_jobs, visit.project_id)
        connections = await visit.ask(list_connections) if visit.may_work else ()
        reading = [job for job in jobs if job.kind == "import" and not job.is_over]
        middle.clear()
        with middle:
            there = [one for one in found if one.state != "removed"]
            _sets(visit, there, reading, show)
            if visit.may_work:
                _add(visit, connections, show, is_first=not there)
            wanted = _chosen(visit, there)
            if wanted is not None and visit.may_work:
                await _look(visit, wanted)
            if visit.is_owner:
                project_settings(visit)

    await show()


def _sets(visit: Visit, there: list[DataSet], reading: list[Job], again: Any) -> None:
    if not there and not reading:
        empty(
            "There are no data yet",
            "Upload the file that you want to mask. It is encrypted on this server, and only you see its records."
            if visit.may_work
            else "The owner or an analyst of the project uploads them.",
            icon="upload_file",
        )
        return
    with section("Data sets"):
        for one in there:
            _data_set(visit, one, again)
        for job in reading:
            JobProgress(visit, job, "Reading the file", on_end=lambda _: again())


def _data_set(visit: Visit, one: DataSet, again: Any) -> None:
    with ui.row().classes("w-full items-center no-wrap gap-3 ammg-line"):
        ui.icon("table_chart" if one.state == "ready" else "hourglass_empty").classes("ammg-quiet")
        with ui.column().classes("gap-0 grow min-w-0"):
            ui.label(one.name).classes("font-medium ammg-wrap")
            records = "" if one.records is None else f"{one.records:,} records · "
            ui.label(f"{records}{size(one.size)} · {one.created_by}, {ago(one.created_at)}").classes("ammg-quiet")
            if one.state == "unread":
                ui.label(f"It could not be read: {one.reason}").classes("ammg-bad")
        if visit.is_owner:
            ui.button(icon="delete", on_click=partial(_remove, visit, one, again)).props("flat round dense").props[
                "aria-label"
            ] = f"Remove {one.name}"


async def _remove(visit: Visit, one: DataSet, again: Any) -> None:
    said = f"'{one.name}' will be deleted from this server. Files made from it stay."
    if await confirmed("Remove the data set?", said, "Remove", harmful=True):
        await visit.ask(remove_data_set, visit.project_id, one.id)
        tell(f"'{one.name}' is removed.")
        await again()


def _add(visit: Visit, connections: tuple[Connection, ...], again: Any, *, is_first: bool) -> None:
    readable = {one.id: one.name for one in connections if one.reads}

    async def sent(given: dict[str, Any]) -> None:
        tell(f"'{given['name']}' is here; it is being read.")
        await again()

    def failed(given: dict[str, Any]) -> None:
        warn(_said(given))

    with section("Upload a file" if is_first else "Add a file", _FORMATS):
        largest = visit.store.settings.upload_bytes
        address = f"/api/v1/projects/{visit.project_id}/data-sets"
        uploader(address, "Choose a file, or drop it here", sent, failed, largest)
        if readable:
            ui.button(
                "From a database table", icon="storage", on_click=lambda: _ask_table(visit, readable, again)
            ).props("flat no-caps")
        elif visit.actor.is_administrator:
            ui.label("Tables of a database can be read once a connection is defined under Administration.").classes(
                "ammg-quiet"
            )


def _said(given: dict[str, Any]) -> str:
    """Why an upload failed, in the words of the API."""
    name = str(given.get("name", ""))
    if given.get("reason") == "size":
        return f"'{name}' is larger than this server allows: ask an administrator."
    try:
        return str(json.loads(given.get("answer", ""))["detail"])
    except (ValueError, KeyError, TypeError):
        return f"'{name}' was not uploaded: the connection to the server broke. Try again."


def _ask_table(visit: Visit, readable: dict[str, str], again: Any) -> None:
    with asking("Read a database table") as dialog:
        connection = ui.select(readable, label="Connection", value=next(iter(readable))).props("outlined")
        connection.classes("w-full")
        table = ui.input("Table, or schema.table").props("outlined autofocus").classes("w-full")
        name = ui.input("Name of the data set").props('outlined hint="It becomes a Parquet file"').classes("w-full")
        table.on("keydown.enter", lambda: read())
        name.on("keydown.enter", lambda: read())
        table.on_value_change(lambda event: name.set_value(f"{str(event.value or '').rpartition('.')[2]}.parquet"))

        async def read() -> None:
            given = (connection.value, table.value or "", name.value or "")
            await visit.ask(import_table, visit.project_id, *given)
            dialog.close()
            await again()

        with ui.row().classes("w-full justify-end"):
            ui.button("Cancel", on_click=dialog.close).props("flat no-caps")
            ui.button("Read", on_click=read).props("unelevated no-caps")


def _chosen(visit: Visit, there: list[DataSet]) -> DataSet | None:
    """The source of the current version, else what was read last."""
    ready = [one for one in there if one.state == "ready" and one.records is not None]
    source = visit.version.document.get("source") if visit.version else None
    named = source.get("path") if isinstance(source, dict) else source
    return next((one for one in ready if one.name == named), ready[-1] if ready else None)


async def _look(visit: Visit, one: DataSet) -> None:
    try:
        found = await visit.ask(analysis, visit.project_id, one.id)
    except AmmgError:
        return
    attributes = found["attributes"]
    with section(f"What was recognised in {one.name}"):
        roles: dict[str, int] = {}
        for attribute in attributes:
            roles[attribute["role"]] = roles.get(attribute["role"], 0) + 1
        with ui.row().classes("gap-6"):
            _fact(f"{found['records']:,}", "records")
            _fact(f"{len(attributes):,}", "attributes")
            for role, count in sorted(roles.items(), key=lambda item: -item[1]):
                _fact(f"{count:,}", f"proposed as {role}")
        ui.button(
            "Continue to the attributes",
            icon="arrow_forward",
            on_click=lambda: ui.navigate.to(f"/projects/{visit.project_id}/attributes"),
        ).props("unelevated no-caps")
    _alerts(visit, found)
    if visit.is_owner:
        shown = await visit.ask(first_records, visit.project_id, one.id)
        with section("First records", f"{len(shown['rows']):,} of {found['records']:,}; only you see them."):
            record_table(shown["columns"], shown["rows"], label="First records")


def _fact(number: str, words: str) -> None:
    with ui.column().classes("gap-0"):
        ui.label(number).classes("ammg-figure")
        ui.label(words).classes("ammg-quiet")


def _alerts(visit: Visit, found: dict[str, Any]) -> None:
    warnings, notes = found.get("warnings", []), found.get("notes", [])
    with section("What is odd"):
        if not warnings:
            ui.label(
                "Nothing to report: no rare categories, outliers, missing codes or duplicate records were found."
            ).classes("ammg-quiet")
        with ui.column().classes("w-full gap-0") as place:
            _shown_alerts(warnings[:_ALERTS])
        if len(warnings) > _ALERTS:

            def show_all() -> None:
                more.delete()
                with place:
                    _shown_alerts(warnings[_ALERTS:])

            more = ui.button(f"Show all {len(warnings):,}", on_click=show_all).props("flat no-caps")
        for text in notes:
            ui.label(text).classes("ammg-quiet")


def _shown_alerts(warnings: list[dict[str, Any]]) -> None:
    for one in warnings:
        with ui.row().classes("w-full no-wrap gap-3 ammg-line items-start"):
            ui.icon("warning_amber").classes("ammg-odd ammg-top")
            with ui.column().classes("gap-0 min-w-0"):
                told = f"{one['subject'].capitalize()}: {', '.join(one['columns'])}".rstrip(": ")
                ui.label(told).classes("font-medium ammg-wrap")
                ui.label(one["message"] or "The owner of the project sees the details.").classes("ammg-quiet")
