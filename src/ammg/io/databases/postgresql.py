"""PostgreSQL through COPY: binary out, CSV in, one transaction."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from ammg.errors import InputError
from ammg.io.databases.fields import CHUNK_BYTES, Field, decoded
from ammg.io.databases.tables import TableName, csv_bytes, quoted
from ammg.io.databases.wire import copied_fields, count_copied
from ammg.io.format import refuse_duplicates
from ammg.progress import ticking

_HEADER = 19  # signature, flags, length of the extension
_YEAR_2000 = 10_957  # days from 1970 to PostgreSQL's first day
_DAY = 86_400_000_000


def _days(field: Field) -> pl.Series:
    days = field.integers()
    _refuse_infinite(days, 2**31 - 1)
    return (days + _YEAR_2000).cast(pl.Int32).cast(pl.Date)


def _moments(field: Field) -> pl.Series:
    ticks = field.integers()
    _refuse_infinite(ticks, 2**63 - 1)
    return (ticks + _YEAR_2000 * _DAY).cast(pl.Datetime("us"))


def _refuse_infinite(values: pl.Series, largest: int) -> None:
    if ((values == largest) | (values == -largest - 1)).any():
        raise InputError("A date is 'infinity': exclude such records with a query, or set them to missing.")


_DECODERS: Mapping[int, Callable[[Field], pl.Series]] = {
    16: lambda field: field.integers().cast(pl.Boolean),
    20: Field.integers,
    21: lambda field: field.integers().cast(pl.Int16),
    23: lambda field: field.integers().cast(pl.Int32),
    700: Field.singles,
    701: Field.doubles,
    25: Field.texts,
    1042: Field.texts,
    1043: Field.texts,
    1082: _days,
    1083: lambda field: (field.integers() * 1000).cast(pl.Time),
    1114: _moments,
    1184: lambda field: _moments(field).dt.replace_time_zone("UTC"),
}
"""By type oid; every other type comes as its text."""

_NUMERIC = 1700

_TYPES: Mapping[Any, str] = {
    pl.Int8: "smallint",
    pl.Int16: "smallint",
    pl.Int32: "integer",
    pl.Int64: "bigint",
    pl.UInt8: "smallint",
    pl.UInt16: "integer",
    pl.UInt32: "bigint",
    pl.UInt64: "numeric(20, 0)",
    pl.Float32: "real",
    pl.Float64: "double precision",
    pl.Boolean: "boolean",
    pl.String: "text",
    pl.Date: "date",
    pl.Time: "time",
}


def read(connection: Any, select: str) -> pl.DataFrame:
    """All rows of a query."""
    raw = connection.connection.driver_connection
    with raw.cursor() as cursor:
        cursor.execute(f"SELECT * FROM ({select}) AS q LIMIT 0")
        columns = list(cursor.description)
        refuse_duplicates("The query", [column.name for column in columns])
        dialect = connection.dialect
        chosen = ", ".join(quoted(c.name, dialect) + ("" if c.type_code in _DECODERS else "::text") for c in columns)
    copy = f"COPY (SELECT {chosen} FROM ({select}) AS q) TO STDOUT"
    return decoded(_runs(raw, copy), lambda run: _frame(run, columns), [column.name for column in columns])


def _runs(raw: Any, copy: str) -> Iterator[np.ndarray[Any, np.dtype[np.uint8]]]:
    """Bytes of whole rows, two megabytes at a time.

    libpq gives one row (the first with the header) per call; its own interface, `psycopg.pq`, is used because the
    cursor's takes ten times as long for each, and rows join one run of bytes because keeping them apart takes three.
    """
    from psycopg import errors, pq

    started = raw.pgconn.exec_(f"{copy} (FORMAT binary)".encode())
    if started.status != pq.ExecStatus.COPY_OUT:
        raise errors.DatabaseError(started.get_error_message())
    receive = raw.pgconn.get_copy_data
    header = _HEADER
    run = bytearray()
    while True:
        length, row = receive(0)
        if length < 0:
            break
        run += row
        if len(run) >= CHUNK_BYTES:
            yield np.frombuffer(run, np.uint8)[header:]
            run, header = bytearray(), 0
    yield np.frombuffer(run, np.uint8)[header:]
    while (result := raw.pgconn.get_result()) is not None:
        if result.status != pq.ExecStatus.COMMAND_OK:
            raise errors.DatabaseError(result.get_error_message())


def _frame(run: np.ndarray[Any, np.dtype[np.uint8]], columns: Sequence[Any]) -> pl.DataFrame:
    rows, _ = count_copied(run, 0)
    begins, lengths = copied_fields(run, 0, rows, len(columns))
    return pl.DataFrame(
        [_column(column, Field(run, begins[i], lengths[i])).alias(column.name) for i, column in enumerate(columns)]
    )


def _column(column: Any, field: Field) -> pl.Series:
    if column.type_code in _DECODERS:
        return _DECODERS[column.type_code](field)
    texts = field.texts()
    if column.type_code != _NUMERIC:
        return texts
    if column.precision and column.precision <= 38:
        return texts.cast(pl.Decimal(column.precision, column.scale or 0))
    return texts.cast(pl.Float64)


def write(connection: Any, tables: Sequence[tuple[TableName, pl.DataFrame]]) -> None:
    """Fill new tables and give them their names, replacing old ones, in one transaction."""
    raw = connection.connection.driver_connection
    dialect = connection.dialect
    with raw.cursor() as cursor:
        for position, (name, frame) in enumerate(tables):
            if len(name.name.encode()) > 63 or any(len(column.encode()) > 63 for column in frame.columns):
                raise InputError(
                    f"PostgreSQL truncates names at 63 bytes: shorten the name of '{name}' or of its columns."
                )
            filled = name.sibling(f"ammg_{os.getpid()}_{position}")
            cursor.execute(f"CREATE TABLE {filled.quoted(dialect)} ({_columns(frame, dialect)})")
            with cursor.copy(f"COPY {filled.quoted(dialect)} FROM STDIN (FORMAT csv)") as copy:
                for part in ticking(frame.iter_slices(2**16), len(frame), "writing"):
                    copy.write(csv_bytes(part))
            cursor.execute(f"DROP TABLE IF EXISTS {name.quoted(dialect)}")
            cursor.execute(
                f"ALTER TABLE {filled.quoted(dialect)} RENAME TO {TableName(None, name.name).quoted(dialect)}"
            )
    raw.commit()


def _columns(frame: pl.DataFrame, dialect: Any) -> str:
    return ", ".join(f"{quoted(name, dialect)} {_type(dtype)}" for name, dtype in frame.schema.items())


def _type(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.Datetime):
        return "timestamp with time zone" if dtype.time_zone else "timestamp"
    if isinstance(dtype, pl.Decimal):
        return f"numeric({dtype.precision}, {dtype.scale})"
    return _TYPES[dtype.base_type()]
