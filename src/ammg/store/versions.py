"""Versions of a project: each is a project file and is never edited."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ammg.errors import Conflict, InputError, NotFound
from ammg.io.yaml_text import parse_yaml
from ammg.store.actor import Actor
from ammg.store.ground.chain import note
from ammg.store.ground.documents import as_json, check_document, parsed_document
from ammg.store.models.base import new_id
from ammg.store.models.projects import DataSetRow, ProjectRow, VersionRow
from ammg.store.people import user_names
from ammg.store.rights import WORKERS, entered, within
from ammg.store.store import Store
from ammg.store.values import Version, VersionInfo


def create_version(
    store: Store,
    actor: Actor,
    project_id: str,
    document: str | Mapping[str, Any],
    remark: str = "",
    based_on: int | None = None,
) -> Version:
    """Store a project file as the new current version.

    With `based_on`, the number of the edited version, it is refused if somebody has made another version meanwhile.

    Raises:
        ProjectError: all problems of the document.
    """
    if len(remark) > 500:
        raise InputError("The note has more than 500 characters: shorten it.")
    with store.reading() as session:
        entered(session, actor, project_id, WORKERS, "write")
        data_sets = _data_sets(store, session, project_id)
    text, _, draft = parsed_document(document)  # slow, so it is done before the writing transaction
    check_document(draft, data_sets)
    with store.writing() as session:
        project, _ = entered(session, actor, project_id, WORKERS, "write")
        session.refresh(project, with_for_update=True)
        if based_on is not None and based_on != project.current:
            raise Conflict(f"Version {project.current} is now the current one: look at it, and make your change again.")
        row = add_version(store, session, project, text, actor.user_id, remark)
        note(session, actor, "version", str(row.number), project_id)
        return _version(store, row, project, actor.name)


def add_version(
    store: Store,
    session: Session,
    project: ProjectRow,
    text: str,
    user_id: str,
    remark: str = "",
    secret: str | None = None,
    based_on: int | None = None,
) -> VersionRow:
    """Add a version to a project whose row is locked; it becomes current if it is based on the current version."""
    last = session.scalar(select(func.max(VersionRow.number)).where(VersionRow.project_id == project.id)) or 0
    row_id = new_id()
    row = VersionRow(
        id=row_id,
        project_id=project.id,
        number=last + 1,
        based_on=based_on or project.current or None,
        note=remark,
        document=store.vault.seal(text, f"version:{row_id}"),
        secret=None if secret is None else store.vault.seal(secret, f"version secret:{row_id}"),
        created_at=store.clock(),
        created_by=user_id,
    )
    session.add(row)
    if based_on in (None, project.current):
        project.current = row.number
    session.flush()
    return row


def list_versions(store: Store, actor: Actor, project_id: str) -> tuple[VersionInfo, ...]:
    """All versions, newest first."""
    with store.reading() as session:
        project, _ = entered(session, actor, project_id)
        found = select(VersionRow).where(VersionRow.project_id == project_id).order_by(VersionRow.number.desc())
        rows = session.scalars(found).all()
        names = user_names(session, {row.created_by for row in rows})
        return tuple(VersionInfo(**_facts(row, project, names[row.created_by])) for row in rows)


def get_version(store: Store, actor: Actor, project_id: str, number: int | None = None) -> Version:
    """A version with its text; by default the current one."""
    with store.reading() as session:
        project, _ = entered(session, actor, project_id)
        row = version_row(session, project, number)
        return _version(store, row, project, user_names(session, {row.created_by})[row.created_by])


def go_back(store: Store, actor: Actor, project_id: str, number: int) -> VersionInfo:
    """Make an earlier version (or a later one again) current; no version is removed."""
    with store.writing() as session:
        project, _ = entered(session, actor, project_id, WORKERS, "write")
        session.refresh(project, with_for_update=True)
        row = version_row(session, project, number)
        project.current = row.number
        note(session, actor, "version current", str(row.number), project_id)
        return VersionInfo(**_facts(row, project, user_names(session, {row.created_by})[row.created_by]))


def propose_version(store: Store, actor: Actor, project_id: str, data_set_id: str) -> Version:
    """Create a version with the roles, kinds and rules proposed by the analysis of a data set, for review."""
    with store.reading() as session:
        entered(session, actor, project_id, WORKERS, "write")
        row = within(session, DataSetRow, data_set_id, project_id, "data set")
        if row.analysis is None:
            raise Conflict(f"'{row.name}' is {row.state}: wait until it has been read.")
        text = json.loads(store.vault.unseal(row.analysis, f"analysis:{row.id}"))["proposal"]
    return create_version(store, actor, project_id, text, f"proposed for {row.name}")


def version_row(session: Session, project: ProjectRow, number: int | None) -> VersionRow:
    """The row of a version, by default of the current one."""
    wanted = project.current if number is None else number
    if wanted == 0:
        raise NotFound("The project has no version yet: create one.")
    which = (VersionRow.project_id == project.id, VersionRow.number == wanted)
    row = session.scalar(select(VersionRow).where(*which)) if abs(wanted) < 2**31 else None
    if row is None:
        raise NotFound(f"There is no version {wanted}.")
    return row


def _data_sets(store: Store, session: Session, project_id: str) -> dict[str, list[str]]:
    """The columns of each available data set, if they are known."""
    rows = session.scalars(
        select(DataSetRow).where(DataSetRow.project_id == project_id, DataSetRow.removed_at.is_(None))
    )
    known: dict[str, list[str]] = {}
    for row in rows:
        opened = json.loads(store.vault.unseal(row.analysis, f"analysis:{row.id}")) if row.analysis else {}
        known[row.name] = [one["name"] for one in opened.get("analysis", {}).get("attributes", ())]
    return known


def _version(store: Store, row: VersionRow, project: ProjectRow, author: str) -> Version:
    text = store.vault.unseal(row.document, f"version:{row.id}")
    return Version(**_facts(row, project, author), text=text, document=as_json(parse_yaml(text)))


def _facts(row: VersionRow, project: ProjectRow, author: str) -> dict[str, Any]:
    return {
        "number": row.number,
        "based_on": row.based_on,
        "note": row.note,
        "created_by": author,
        "created_at": row.created_at,
        "is_current": row.number == project.current,
        "has_secret": row.secret is not None,
    }
