"""The audit log for people: entries, verification of the chain, an export."""

from __future__ import annotations

import json
from collections.abc import Iterator

from sqlalchemy import select

from ammg.store.actor import Actor
from ammg.store.ground.chain import broken_entry, note
from ammg.store.models.review import AuditHeadRow, AuditRow
from ammg.store.rights import OWNER, entered, need_administrator
from ammg.store.store import Store
from ammg.store.values import AuditEntry, ChainState

_MOST = 1000


def list_entries(
    store: Store, actor: Actor, project_id: str | None = None, after: int = 0, limit: int = 200
) -> tuple[AuditEntry, ...]:
    """Entries after a number: of a project for its owner, of everything for administrators."""
    with store.reading() as session:
        if project_id is None:
            need_administrator(actor)
        else:
            entered(session, actor, project_id, OWNER)
        found = select(AuditRow).where(AuditRow.number > min(max(after, 0), 2**62)).order_by(AuditRow.number)
        if project_id is not None:
            found = found.where(AuditRow.project_id == project_id)
        return tuple(map(_entry, session.scalars(found.limit(min(max(limit, 1), _MOST)))))


def verify_chain(store: Store, actor: Actor) -> ChainState:
    """Whether every entry is unchanged and none is missing."""
    need_administrator(actor)
    return chain_state(store)


def chain_state(store: Store) -> ChainState:
    """The same for the person who runs the server."""
    with store.reading() as session:
        head = session.get_one(AuditHeadRow, 1)
        found = select(AuditRow).where(AuditRow.number <= head.number).order_by(AuditRow.number)
        rows = session.scalars(found.execution_options(yield_per=1000))
        entries, broken, reason = broken_entry(rows, head, store.vault)
    return ChainState(entries, broken is None, broken, reason)


def export(store: Store, actor: Actor) -> Iterator[str]:
    """The whole log as JSON lines, with hashes so that anybody can verify it."""
    need_administrator(actor)
    with store.writing() as session:
        note(session, actor, "audit exported")
    return _lines(store)


def _lines(store: Store) -> Iterator[str]:
    last = 0
    while True:
        with store.reading() as session:
            found = select(AuditRow).where(AuditRow.number > last).order_by(AuditRow.number).limit(1000)
            rows = session.scalars(found).all()
            entries = [
                {
                    "number": row.number,
                    "at": row.at.isoformat(),
                    "actor_id": row.actor_id,
                    "actor_name": row.actor_name,
                    "action": row.action,
                    "subject": row.subject,
                    "project_id": row.project_id,
                    "details": row.details,
                    "previous": row.previous,
                    "hash": row.hash,
                }
                for row in rows
            ]
        yield from (json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
        if not rows:
            return
        last = rows[-1].number


def _entry(row: AuditRow) -> AuditEntry:
    return AuditEntry(
        row.number,
        row.at,
        row.actor_name,
        row.action,
        row.subject,
        row.project_id,
        json.loads(row.details),
        row.previous,
        row.hash,
    )
