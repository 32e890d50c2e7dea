"""Evaluations, searches and reports: the results of jobs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import select

from ammg.errors import InputError
from ammg.store.actor import Actor
from ammg.store.ground.chain import note
from ammg.store.masked_files import READERS, download
from ammg.store.models.projects import FileRow
from ammg.store.models.work import EvaluationRow, ReportRow, SearchRow
from ammg.store.rights import entered, within
from ammg.store.store import Store
from ammg.store.values import Comparison, Download, Evaluation, ReportInfo, Search

_MOST = 20


def list_evaluations(store: Store, actor: Actor, project_id: str) -> tuple[Evaluation, ...]:
    """The evaluations of a project, newest first, without their values."""
    with store.reading() as session:
        entered(session, actor, project_id)
        found = select(EvaluationRow).where(EvaluationRow.project_id == project_id)
        rows = session.scalars(found.order_by(EvaluationRow.created_at.desc()).limit(500))
        return tuple(_evaluation(row) for row in rows)


def get_evaluation(store: Store, actor: Actor, project_id: str, evaluation_id: str) -> Evaluation:
    """One evaluation, with all measurements."""
    with store.reading() as session:
        _, role = entered(session, actor, project_id)
        row = within(session, EvaluationRow, evaluation_id, project_id, "evaluation")
        return _evaluation(row, _shown(_opened(store, row.outcome, f"evaluation:{row.id}"), role))


def of_unmasked(store: Store, actor: Actor, project_id: str) -> Evaluation | None:
    """The newest evaluation of the unmasked records; None if there is none.

    Its value `read_as` is the version whose roles and scenario were used.
    """
    with store.reading() as session:
        entered(session, actor, project_id)
        found = select(EvaluationRow.id).where(EvaluationRow.project_id == project_id, EvaluationRow.version == 0)
        newest = session.scalar(found.order_by(EvaluationRow.created_at.desc()).limit(1))
    return None if newest is None else get_evaluation(store, actor, project_id, newest)


def compare(store: Store, actor: Actor, project_id: str, evaluation_ids: Sequence[str]) -> Comparison:
    """Evaluations side by side, one row per measure."""
    if not 1 <= len(evaluation_ids) <= _MOST:
        raise InputError(f"Name 1 to {_MOST} evaluations to compare.")
    found = {one: get_evaluation(store, actor, project_id, one).values or {} for one in evaluation_ids}
    rows: dict[str, dict[str, Any]] = {}
    for one, values in found.items():
        for label, measured in values["measures"].items():
            row = rows.setdefault(
                label, {"measure": label, "family": measured["family"], "name": measured["name"], "values": {}}
            )
            row["values"][one] = {
                "value": measured["value"],
                "reason": measured.get("reason"),
                "limit": values["limits"].get(label),
                "is_broken": label in values["missed"],
            }
    return Comparison(tuple(found), tuple(rows.values()))


def list_searches(store: Store, actor: Actor, project_id: str) -> tuple[Search, ...]:
    """The searches of a project, newest first."""
    with store.reading() as session:
        entered(session, actor, project_id)
        found = select(SearchRow).where(SearchRow.project_id == project_id).order_by(SearchRow.created_at.desc())
        return tuple(_search(row) for row in session.scalars(found.limit(500)))


def get_search(store: Store, actor: Actor, project_id: str, search_id: str) -> Search:
    """One search: the choice and its reason, the frontier, the R-U map as a chart."""
    with store.reading() as session:
        entered(session, actor, project_id)
        row = within(session, SearchRow, search_id, project_id, "search")
        return _search(row, _opened(store, row.outcome, f"search:{row.id}"))


def list_reports(store: Store, actor: Actor, project_id: str) -> tuple[ReportInfo, ...]:
    """The reports of a project that the person may read, newest first."""
    with store.reading() as session:
        _, role = entered(session, actor, project_id)
        found = (
            select(ReportRow, FileRow.size)
            .join(FileRow, FileRow.id == ReportRow.file_id)
            .where(ReportRow.project_id == project_id)
            .order_by(ReportRow.created_at.desc())
        )
        return tuple(
            ReportInfo(row.id, row.masked_file_id, row.kind, row.job_id, size, row.created_at)
            for row, size in session.execute(found)
            if role in READERS[row.kind]
        )


def read_report(store: Store, actor: Actor, project_id: str, report_id: str) -> Download:
    """A report as one HTML file; the internal one is for the owner and the review panel."""
    with store.writing() as session:
        entered(session, actor, project_id)
        row = within(session, ReportRow, report_id, project_id, "report")
        entered(session, actor, project_id, READERS[row.kind])
        if row.kind != "public":
            note(session, actor, "report read", row.id, project_id)
        return download(store, session, row.file_id, f"{row.kind}-report.html")


def _opened(store: Store, sealed: bytes, context: str) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(store.vault.unseal(sealed, context))
    return values


def _shown(values: dict[str, Any], role: str) -> dict[str, Any]:
    """The charts that this role may see; results about single people are for the owner."""
    drawn = values.get("pictures", {})
    pictures = drawn.get("internal" if role in READERS["internal"] else "public", {})
    people = values.get("people", []) if role in READERS["private"] else []
    return {**values, "pictures": pictures, "people": people}


def _evaluation(row: EvaluationRow, values: dict[str, Any] | None = None) -> Evaluation:
    return Evaluation(row.id, row.version, row.masked_file_id, row.job_id, row.keeps_limits, row.created_at, values)


def _search(row: SearchRow, values: dict[str, Any] | None = None) -> Search:
    return Search(row.id, row.version, row.found_version, row.job_id, row.keeps_limits, row.created_at, values)
