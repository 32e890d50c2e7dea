"""Any database that SQLAlchemy has a URL for."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.errors import AmmgError, InputError, did_you_mean
from ammg.io.codebook import Codebook
from ammg.io.databases.tables import TableName, storable
from ammg.io.format import Format, first_line
from ammg.io.urls import filled_in, hidden
from ammg.optional import require
from ammg.params import param

if TYPE_CHECKING:
    import sqlalchemy as sa

_DRIVERS = {  # the drivers of the extras, unless the URL names another
    "postgres": "postgresql+psycopg",
    "postgresql": "postgresql+psycopg",
    "mysql": "mysql+pymysql",
    "mariadb": "mariadb+pymysql",
}


class Database(Format):
    """Tables and queries of PostgreSQL, MariaDB, MySQL, SQLite and every other database of SQLAlchemy.

    The table is named in the URL, `postgresql://user@host/db?table=study.patients`, or by the option. A written table
    replaces one of the same name only when it is complete; its codebook is the table `<name>_codebook`.
    """

    table: str | None = param(None, "Table, or schema.table; also as ?table= in the URL.")
    query: str | None = param(None, "A query to read instead of a table; also as ?query= in the URL.")

    @classmethod
    def claims(cls, target: str) -> bool:
        """Whether it is a URL."""
        return "://" in target

    @classmethod
    def place(cls, target: str) -> Path:
        """`<database>.<table>` in the working folder; the name of a file that an engine writes to its own store."""
        url, table, _ = cls()._parts(target)
        if table is None and not target.lower().endswith(".parquet"):
            raise _no_table(url)
        parts = [Path(url.database or "").name, table]
        name = re.sub(r"[^\w.-]", "_", ".".join(part for part in parts if part)).strip(".") or "release"
        if len(name.encode()) > 190:
            name = f"{name[:40]}.{hashlib.sha256(name.encode()).hexdigest()[:12]}"
        return Path(name)

    def read(self, source: str) -> Microdata:
        """Read a table with its codebook, or the rows of a query."""
        url, table, query = self._parts(source)
        if (table is None) == (query is None):
            raise InputError(f"Name a table or a query to read from {_shown(url)}: '…?table=name', or table='name'.")
        _refuse_absent_file(url)
        with _connected(url) as connection:
            if query is not None:
                frame, codebook = _rows(connection, query.strip().rstrip(";")), Codebook()
            else:
                name = TableName.of(str(table))
                known = _known_tables(connection, name)
                select = f"SELECT * FROM {name.quoted(connection.dialect)}"
                codebook = _codebook(connection, name) if name.codebook.name in known else Codebook()
                frame = _rows(connection, select, name)
        if not len(frame):
            raise InputError(f"'{table or query}' in {_shown(url)} has no records.")
        return codebook.apply(frame)

    def write(self, table: pl.DataFrame, schema: Schema, target: str) -> None:
        """Write a table and its codebook; both are there when both are whole."""
        url, to, _ = self._parts(target)
        if to is None:
            raise _no_table(url)
        name = TableName.of(to)
        codebook = Codebook.of(table, schema)
        variables = list(codebook.variables)
        described = pl.DataFrame(
            {
                "position": pl.Series(range(len(variables)), dtype=pl.Int32),
                "variable": pl.Series(variables, dtype=pl.String),
                "description": pl.Series([codebook.variable_json(v) for v in variables], dtype=pl.String),
            }
        )
        with _connected(url) as connection:
            _backend(connection).write(connection, [(name, storable(table)), (name.codebook, described)])

    def _parts(self, target: str) -> tuple[sa.URL, str | None, str | None]:
        import sqlalchemy as sa

        try:
            url = sa.make_url(filled_in(target))
        except AmmgError:
            raise
        except (sa.exc.ArgumentError, ValueError):  # a port that is no number
            raise InputError(
                "The database URL cannot be read: write it like postgresql://user@host/database."
            ) from None
        if "@" in (url.host or ""):
            raise InputError("The user or password in the database URL contains an '@': write it as %40.")
        url = url.set(drivername=_DRIVERS.get(url.drivername, url.drivername))
        inside = {key: url.query[key] for key in ("table", "query") if key in url.query}
        table = self.table or (None if self.query else inside.get("table"))
        query = self.query or (None if self.table else inside.get("query"))
        rest = url.difference_update_query(["table", "query"])
        return rest, str(table) if table else None, str(query) if query else None


def _no_table(url: sa.URL) -> InputError:
    return InputError(f"Name the table to write to in {_shown(url)}: '…?table=name', or table='name'.")


@contextmanager
def _connected(url: sa.URL) -> Iterator[sa.Connection]:
    """A connection of its own; what the database says is passed on in one sentence, without the password."""
    import sqlalchemy as sa

    driver = url.drivername.partition("+")[2]
    if driver in {"psycopg", "pymysql"}:
        require(driver, f"{url.get_backend_name()} databases")
    arguments: dict[str, Any] = {}
    if driver == "pymysql":
        local = url.query.get("local_infile", "1") != "0"
        url = url.difference_update_query(["local_infile"])
        arguments = {"local_infile": local, "charset": "utf8mb4"}
    try:
        engine = sa.create_engine(url, connect_args=arguments, poolclass=sa.NullPool)
    except sa.exc.NoSuchModuleError:
        raise InputError(
            f"The database type '{url.drivername}' is not known: install a SQLAlchemy dialect for it."
        ) from None
    except ModuleNotFoundError as error:
        raise InputError(f"{_shown(url)} needs the driver {error.name}: install it.") from None
    if url.get_backend_name() == "sqlite":
        _begin_explicitly(engine)
    try:
        with _opened(engine, url) as connection:
            yield connection
    except _errors(driver) as error:
        cause = getattr(error, "orig", None) or error
        raise InputError(f"{_shown(url)}: {_message(cause)}.") from None
    finally:
        engine.dispose()


def _opened(engine: sa.Engine, url: sa.URL) -> sa.Connection:
    try:
        return engine.connect()
    except (TypeError, ValueError) as error:  # an option after '?' that the driver does not have, or not like this
        raise InputError(f"{_shown(url)}: {first_line(error)}: check the options after '?'.") from None


def _errors(driver: str) -> tuple[type[Exception], ...]:
    """What a database raises, through SQLAlchemy or past it."""
    import sqlalchemy as sa

    if driver in {"psycopg", "pymysql"}:
        return sa.exc.SQLAlchemyError, require(driver, "This database").Error
    return (sa.exc.SQLAlchemyError,)


def _message(error: BaseException) -> str:
    facts: Any = error.args  # PyMySQL gives a number and a sentence
    return str(facts[1]) if len(facts) == 2 and isinstance(facts[0], int) else first_line(error)


def _shown(url: sa.URL) -> str:
    return hidden(url.set(drivername=url.get_backend_name()).render_as_string(hide_password=False))


def _begin_explicitly(engine: sa.Engine) -> None:
    """Python's sqlite3 begins a transaction too late for CREATE TABLE to be part of it."""
    import sqlalchemy as sa

    sa.event.listen(engine, "connect", lambda raw, _: setattr(raw, "isolation_level", None))
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))


def _refuse_absent_file(url: sa.URL) -> None:
    """Opening an SQLite file that does not exist would make an empty one."""
    path = url.database
    if url.get_backend_name() == "sqlite" and path and path != ":memory:" and not Path(path).exists():
        raise InputError(f"File '{Path(path).absolute()}' does not exist: check the name.")


def _backend(connection: sa.Connection) -> Any:
    from importlib import import_module

    fast = {"psycopg": "postgresql", "pymysql": "mariadb"}
    return import_module(f"ammg.io.databases.{fast.get(connection.dialect.driver, 'generic')}")


def _rows(connection: sa.Connection, select: str, name: TableName | None = None) -> pl.DataFrame:
    backend = _backend(connection)
    if name is None or not backend.__name__.endswith("generic"):
        frame: pl.DataFrame = backend.read(connection, select)
        return frame
    import sqlalchemy as sa

    columns = sa.inspect(connection).get_columns(name.name, schema=name.schema)
    declared: pl.DataFrame = backend.read(connection, select, {column["name"]: column["type"] for column in columns})
    return declared


def _known_tables(connection: sa.Connection, name: TableName) -> set[str]:
    import sqlalchemy as sa

    inspector = sa.inspect(connection)
    known = {*inspector.get_table_names(schema=name.schema), *inspector.get_view_names(schema=name.schema)}
    if name.name not in known:
        raise InputError(f"Table '{name}' not found.{did_you_mean(name.name, sorted(known))}")
    return known


def _codebook(connection: sa.Connection, name: TableName) -> Codebook:
    import sqlalchemy as sa

    quoted = name.codebook.quoted(connection.dialect).replace(":", r"\:")
    try:
        rows = connection.execute(sa.text(f"SELECT description FROM {quoted} ORDER BY position")).scalars().all()
    except sa.exc.SQLAlchemyError:
        connection.rollback()
        return Codebook()  # a table of somebody else that happens to have this name
    return Codebook.parse(f'{{"variables": [{",".join(rows)}]}}', str(name.codebook))
