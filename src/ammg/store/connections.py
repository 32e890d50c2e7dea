"""Databases for import and release: administrators define them, so that people never type a URL."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy import select

from ammg.errors import Conflict, InputError, NotFound
from ammg.io.urls import hidden
from ammg.store.actor import Actor
from ammg.store.ground.chain import note
from ammg.store.ground.database import open_engine, parsed_url, said
from ammg.store.models.base import folded, new_id
from ammg.store.models.projects import ConnectionRow
from ammg.store.rights import need_administrator, need_scope
from ammg.store.store import Store
from ammg.store.values import Connection


def define_connection(
    store: Store, actor: Actor, name: str, url: str, reads: bool = True, writes: bool = False
) -> Connection:
    """Allow a database; its URL is stored encrypted."""
    need_administrator(actor)
    name = name.strip()
    if not 1 <= len(name) <= 120 or not name.isprintable():
        raise InputError("A connection needs a name of 1 to 120 characters on one line.")
    if "://" not in url or len(url) > 2000:
        raise InputError("The database URL cannot be read: write it like postgresql://user@host/database.")
    if "table=" in url or "query=" in url:
        raise InputError("The URL of a connection names only a database: people choose the table.")
    parsed_url(url)
    if url.startswith("sqlite") and not url.startswith("sqlite:////"):
        raise InputError("Give the full path of the SQLite file: sqlite:////srv/data.db.")
    with store.writing() as session:
        if session.scalar(select(ConnectionRow.id).where(ConnectionRow.name_key == folded(name))):
            raise Conflict(f"There is already a connection called '{name}': choose another name.")
        row_id = new_id()
        row = ConnectionRow(
            id=row_id,
            name=name,
            name_key=folded(name),
            url=store.vault.seal(url, f"connection:{row_id}"),
            reads=reads,
            writes=writes,
            created_at=store.clock(),
        )
        session.add(row)
        note(session, actor, "connection", row.id, name=name, reads=reads, writes=writes)
        return _connection(store, row, actor)


def list_connections(store: Store, actor: Actor) -> tuple[Connection, ...]:
    """All connections; only administrators see their addresses."""
    need_scope(actor, "read")
    with store.reading() as session:
        rows = session.scalars(select(ConnectionRow).order_by(ConnectionRow.name_key))
        return tuple(_connection(store, row, actor) for row in rows)


def remove_connection(store: Store, actor: Actor, connection_id: str) -> None:
    """Remove a connection."""
    need_administrator(actor)
    with store.writing() as session:
        row = session.get(ConnectionRow, connection_id)
        if row is None:
            raise NotFound("There is no such connection.")
        session.delete(row)
        note(session, actor, "connection removed", row.id, name=row.name)


def try_connection(store: Store, actor: Actor, connection_id: str) -> None:
    """Connect once.

    Raises:
        InputError: the message of the database.
    """
    need_administrator(actor)
    with store.reading() as session:
        row = session.get(ConnectionRow, connection_id)
        if row is None:
            raise NotFound("There is no such connection.")
        url = store.vault.unseal(row.url, f"connection:{row.id}")
    engine = open_engine(url)
    try:
        with engine.connect():
            pass
    except sa.exc.SQLAlchemyError as error:
        raise InputError(f"'{row.name}' cannot be used: {hidden(said(error))}.") from None
    finally:
        engine.dispose()


def _connection(store: Store, row: ConnectionRow, actor: Actor) -> Connection:
    shown = None
    if actor.is_administrator and actor.may("admin"):
        shown = hidden(store.vault.unseal(row.url, f"connection:{row.id}"))
    return Connection(row.id, row.name, row.reads, row.writes, shown)
