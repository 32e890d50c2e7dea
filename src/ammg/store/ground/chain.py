"""The audit log as a chain: each entry contains the hash of the one before it.

An entry is appended as the last act of the transaction it describes, under a lock on the head of the chain, so that
neither a change nor its entry can exist alone. Anybody with an export can verify the hashes. The seal, a keyed digest
of the hash, cannot be forged by somebody who has the database but not the key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ammg.store.actor import Actor
from ammg.store.ground.vault import Vault
from ammg.store.models.review import AuditHeadRow, AuditRow

BEGINNING = hashlib.sha256(b"ammg audit log").hexdigest()
_NOTED = "ammg_noted"


def note(
    session: Session, actor: Actor | None, action: str, subject: str = "", project_id: str | None = None, **details: Any
) -> None:
    """Record an action of this transaction for the log; details are names and numbers, never values of the data."""
    entry = {
        "actor_id": actor.user_id if actor else None,
        "actor_name": actor.name if actor else "system",
        "action": action,
        "subject": subject,
        "project_id": project_id,
        "details": json.dumps(details, sort_keys=True, ensure_ascii=False),
    }
    session.info.setdefault(_NOTED, []).append(entry)


def begin_chain(session: Session, vault: Vault) -> None:
    """Create the head of an empty log."""
    session.add(AuditHeadRow(id=1, number=0, hash=BEGINNING, seal=_seal(vault, 0, BEGINNING)))


def append_noted(session: Session, vault: Vault, now: datetime) -> None:
    """Append the recorded actions; nothing may be locked afterwards."""
    noted = session.info.pop(_NOTED, [])
    if not noted:
        return
    head = session.scalars(select(AuditHeadRow).where(AuditHeadRow.id == 1).with_for_update()).one()
    for facts in noted:
        number = head.number + 1
        entry = {"number": number, "at": now, **facts}
        hashed = entry_hash(head.hash, entry)
        seal = _seal(vault, number, hashed)
        session.add(AuditRow(**entry, previous=head.hash, hash=hashed, seal=seal))
        head.number, head.hash, head.seal = number, hashed, seal
    session.flush()


def entry_hash(previous: str, entry: Mapping[str, Any]) -> str:
    """SHA-256 of the previous hash and this entry, serialised in one fixed way."""
    names = ("number", "at", "actor_id", "actor_name", "action", "subject", "project_id", "details")
    plain = [entry[name].isoformat() if name == "at" else entry[name] for name in names]
    return hashlib.sha256(f"{previous}{json.dumps(plain, ensure_ascii=True)}".encode()).hexdigest()


def broken_entry(rows: Any, head: AuditHeadRow, vault: Vault) -> tuple[int, int | None, str]:
    """The number of entries checked, and the first wrong one with the reason."""
    previous, count = BEGINNING, 0
    for row in rows:
        count += 1
        entry = {column.key: getattr(row, column.key) for column in AuditRow.__table__.columns}
        if row.number != count:
            return count, count, f"entry {count} is missing"
        if row.previous != previous or entry_hash(previous, entry) != row.hash:
            return count, count, f"entry {count} was changed"
        if _seal(vault, row.number, row.hash) != row.seal:
            return count, count, f"entry {count} was written without the key of this store"
        previous = row.hash
    if (head.number, head.hash) != (count, previous) or head.seal != _seal(vault, head.number, head.hash):
        return count, min(count, head.number) + 1, "entries at the end are missing"
    return count, None, ""


def _seal(vault: Vault, number: int, hashed: str) -> str:
    return vault.tag("audit", f"{number} {hashed}")
