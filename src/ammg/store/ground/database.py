"""The database of a store: opening it, transactions, and updates of its schema."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from ammg.errors import InputError, Unavailable
from ammg.io.format import first_line
from ammg.io.urls import filled_in, hidden
from ammg.optional import require

DRIVERS = {
    "sqlite": "sqlite",
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "postgresql+psycopg": "postgresql+psycopg",
    "mysql": "mysql+pymysql",
    "mysql+pymysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
    "mariadb+pymysql": "mariadb+pymysql",
}
WRITES = "ammg_writes"


def open_engine(url: str) -> sa.Engine:
    """An engine whose transactions behave the same in every database: they read only committed data."""
    parsed = parsed_url(url)
    if parsed.get_backend_name() == "sqlite":
        return _sqlite(parsed)
    driver = parsed.drivername.partition("+")[2]
    require(driver, f"{parsed.get_backend_name()} databases")
    arguments = {"charset": "utf8mb4"} if driver == "pymysql" else {}
    return sa.create_engine(
        parsed,
        connect_args=arguments,
        isolation_level="READ COMMITTED",
        pool_pre_ping=True,
        pool_size=20,
        max_overflow=20,
    )


def parsed_url(url: str) -> sa.URL:
    """The URL of a database that can hold a store."""
    try:
        parsed = sa.make_url(filled_in(url))
    except (sa.exc.ArgumentError, ValueError):
        raise InputError("The database URL cannot be read: write it like postgresql://user@host/database.") from None
    if parsed.drivername not in DRIVERS:
        raise InputError(f"'{parsed.drivername}' is not supported: use sqlite, postgresql or mariadb.")
    if not parsed.database:
        raise InputError(f"{hidden(url)} does not name a database: add it after the host, or name the file of SQLite.")
    if parsed.get_backend_name() == "sqlite":
        if parsed.database == ":memory:":
            raise InputError("A store cannot be kept in memory: name a file, such as sqlite:////srv/ammg.sqlite.")
        parsed = parsed.set(database=str(Path(parsed.database).expanduser().absolute()))
    return parsed.set(drivername=DRIVERS[parsed.drivername])


def _sqlite(url: sa.URL) -> sa.Engine:
    """SQLite with one writer at a time, which takes the lock when it begins, and readers that never wait."""
    engine = sa.create_engine(
        url, connect_args={"timeout": 30, "check_same_thread": False}, pool_size=20, max_overflow=20
    )

    def connected(raw: Any, _: Any) -> None:
        raw.isolation_level = None  # transactions begin below, not where Python's sqlite3 would begin them
        for setting in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "busy_timeout = 30000"):
            raw.execute(f"PRAGMA {setting}").close()

    def begun(connection: sa.Connection) -> None:
        writes = connection.get_execution_options().get(WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    sa.event.listen(engine, "connect", connected)
    sa.event.listen(engine, "begin", begun)
    return engine


def migrate(engine: sa.Engine) -> None:
    """Create the schema, or update it.

    Raises:
        Unavailable: the database cannot be reached.
        InputError: it was written by a newer version of AMMG.
    """
    from alembic import command, util
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parents[1] / "migrations").replace("%", "%%"))
    try:
        with engine.execution_options(**{WRITES: True}).connect() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            connection.commit()
    except util.CommandError:
        raise InputError("The database was written by a newer version of AMMG: update AMMG.") from None
    except sa.exc.OperationalError as error:
        raise Unavailable(f"{shown(engine.url)} cannot be used: {said(error)}.") from None


def create_if_absent(url: str) -> None:
    """Create the database if the server does not have it and allows it."""
    parsed = parsed_url(url)
    if parsed.get_backend_name() == "sqlite":
        return
    engine = sa.create_engine(parsed, poolclass=sa.NullPool)
    try:
        with engine.connect():
            return
    except sa.exc.OperationalError as error:
        if not re.search(r"does not exist|Unknown database", str(error.orig)):
            raise Unavailable(f"{shown(parsed)} cannot be used: {said(error)}.") from None
    postgresql = parsed.get_backend_name() == "postgresql"
    server = sa.create_engine(
        parsed.set(database="postgres" if postgresql else ""), poolclass=sa.NullPool, isolation_level="AUTOCOMMIT"
    )
    name = server.dialect.identifier_preparer.quote_identifier(str(parsed.database))
    options = " ENCODING 'UTF8' TEMPLATE template0" if postgresql else " CHARACTER SET utf8mb4"
    try:
        with server.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}{options}")
    except sa.exc.SQLAlchemyError as error:
        raise InputError(f"{shown(parsed)} does not exist and cannot be created: {said(error)}.") from None


def shown(url: sa.URL) -> str:
    """A URL without its password."""
    return hidden(url.set(drivername=url.get_backend_name()).render_as_string(hide_password=False))


def said(error: sa.exc.SQLAlchemyError) -> str:
    """The database's message in one line, without statement and values."""
    cause = getattr(error, "orig", None) or error
    facts: Any = cause.args  # PyMySQL gives a number and a message
    return str(facts[1]) if len(facts) == 2 and isinstance(facts[0], int) else first_line(cause)
