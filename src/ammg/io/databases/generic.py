"""Any other database that SQLAlchemy knows, SQLite among them: rows as Python values, one transaction."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import sqlalchemy as sa

from ammg.errors import InputError
from ammg.io.databases.tables import TableName
from ammg.io.format import refuse_duplicates
from ammg.progress import ticking

_ROWS = 2**14

_TYPES: Mapping[Any, Any] = {
    pl.Int8: sa.SmallInteger,
    pl.Int16: sa.SmallInteger,
    pl.Int32: sa.Integer,
    pl.Int64: sa.BigInteger,
    pl.UInt8: sa.SmallInteger,
    pl.UInt16: sa.Integer,
    pl.UInt32: sa.BigInteger,
    pl.UInt64: sa.Text,  # beyond the integers of SQLite; the codebook brings the type back
    pl.Decimal: sa.Text,
    pl.Float32: sa.Double,
    pl.Float64: sa.Double,
    pl.Boolean: sa.Boolean,
    pl.String: sa.Text,
    pl.Date: sa.Date,
    pl.Time: sa.Time,
    pl.Datetime: sa.DateTime,
}


def read(connection: sa.Connection, select: str, types: Mapping[str, Any] | None = None) -> pl.DataFrame:
    """All rows of a query; `types` are the declared types of its columns, where the database tells them."""
    declared = {name: kind for name, kind in (types or {}).items() if _python(kind) is not None}
    statement = sa.text(select.replace(":", r"\:"))
    result = connection.execute(statement.columns(**declared) if declared else statement)
    names = list(result.keys())
    refuse_duplicates("The query", names)
    parts = [
        pl.DataFrame(
            [
                _series(name, values, declared.get(name))
                for name, values in zip(names, zip(*rows, strict=True), strict=True)
            ]
        )
        for rows in ticking(result.partitions(_ROWS), max(result.rowcount, 0), "reading")
    ]
    return pl.concat(parts, how="vertical_relaxed") if parts else pl.DataFrame(schema=names)


def _python(kind: Any) -> Any:
    """The polars type of a declared type, None for those that are left as they come."""
    for sql, dtype in (
        (sa.Boolean, pl.Boolean),
        (sa.Integer, pl.Int64),
        (sa.Float, pl.Float64),
        (sa.Date, pl.Date),
        (sa.DateTime, pl.Datetime("us")),
        (sa.Time, pl.Time),
        (sa.String, pl.String),
    ):
        if isinstance(kind, sql):
            return dtype
    return None


def _series(name: str, values: Sequence[Any], declared: Any) -> pl.Series:
    dtype = _python(declared)
    try:
        return pl.Series(name, values, dtype=dtype)
    except (TypeError, pl.exceptions.PolarsError):
        pass
    try:
        return pl.Series(name, values)  # SQLite holds any value in any column
    except (TypeError, pl.exceptions.PolarsError):
        kinds = sorted({type(value).__name__ for value in values if value is not None})
        raise InputError(f"Column '{name}' mixes {' and '.join(kinds)}: cast it to one type with a query.") from None


def write(connection: sa.Connection, tables: Sequence[tuple[TableName, pl.DataFrame]]) -> None:
    """Fill new tables and give them their names, replacing old ones, in one transaction."""
    dialect = connection.dialect
    for position, (name, frame) in enumerate(tables):
        filled = name.sibling(f"ammg_{os.getpid()}_{position}")
        columns = [sa.Column(column, _TYPES[dtype.base_type()]) for column, dtype in frame.schema.items()]
        table = sa.Table(filled.name, sa.MetaData(), *columns, schema=filled.schema)
        table.create(connection)
        plain = frame.with_columns(pl.col(pl.UInt64, pl.Decimal).cast(pl.String), *_in_utc(frame))
        for part in ticking(plain.iter_slices(_ROWS), len(plain), "writing"):
            connection.execute(table.insert(), part.to_dicts())
        plainly = connection.execution_options(no_parameters=True)
        plainly.exec_driver_sql(f"DROP TABLE IF EXISTS {name.quoted(dialect)}")
        to = TableName(None, name.name).quoted(dialect)
        plainly.exec_driver_sql(f"ALTER TABLE {filled.quoted(dialect)} RENAME TO {to}")
    connection.commit()


def _in_utc(frame: pl.DataFrame) -> list[pl.Expr]:
    zoned = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Datetime) and dtype.time_zone]
    return [pl.col(name).dt.convert_time_zone("UTC").dt.replace_time_zone(None) for name in zoned]
