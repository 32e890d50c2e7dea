"""Databases that administrators allow."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field

from ammg.store import connections
from ammg.store.values import Connection
from ammg.web.access import Asks, Kept
from ammg.web.bodies import Body, Id

router = APIRouter(tags=["connections"])


class NewConnection(Body):
    """A database under a name: people see the name alone."""

    name: str = Field(max_length=1000)
    url: str = Field(max_length=10_000, json_schema_extra={"format": "password"})
    reads: bool = True
    writes: bool = False


@router.get("/connections")
def list_connections(store: Kept, actor: Asks) -> tuple[Connection, ...]:
    """All connections; administrators see the addresses, without passwords."""
    return connections.list_connections(store, actor)


@router.post("/connections", status_code=201)
def define_connection(given: NewConnection, store: Kept, actor: Asks) -> Connection:
    """Allow a database."""
    return connections.define_connection(store, actor, given.name, given.url, given.reads, given.writes)


@router.delete("/connections/{connection_id}", status_code=204)
def remove_connection(connection_id: Id, store: Kept, actor: Asks) -> None:
    """Allow a database no longer."""
    connections.remove_connection(store, actor, connection_id)


@router.post("/connections/{connection_id}/test", status_code=204)
def try_connection(connection_id: Id, store: Kept, actor: Asks) -> None:
    """Connect once."""
    connections.try_connection(store, actor, connection_id)
