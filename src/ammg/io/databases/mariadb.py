"""MariaDB and MySQL through PyMySQL: rows come as the binary protocol sends them, and go in with LOAD DATA LOCAL."""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.errors import InputError
from ammg.io.databases.fields import CHUNK_BYTES, Field, decoded
from ammg.io.databases.tables import TableName, csv_bytes, quoted
from ammg.io.databases.wire import count_packets, packet_fields
from ammg.io.format import refuse_duplicates
from ammg.progress import ticking

_PREPARE, _EXECUTE = 0x16, 0x17
_UNSIGNED, _BINARY_CHARSET = 32, 63
_INTEGERS: Mapping[int, tuple[Any, Any]] = {  # signed and unsigned, by type code of the protocol
    1: (pl.Int8, pl.UInt8),
    2: (pl.Int16, pl.UInt16),
    3: (pl.Int32, pl.UInt32),
    8: (pl.Int64, pl.UInt64),
    9: (pl.Int32, pl.UInt32),
    13: (pl.Int16, pl.UInt16),  # YEAR
}
_FLOATS: Mapping[int, Any] = {4: pl.Float32, 5: pl.Float64}
_WIDTHS = {1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 8: 8, 9: 4, 13: 2}  # in bytes; other values come with their length
_DECIMALS = (0, 246)
_DATES, _MOMENTS, _TIMES = (10, 14), (7, 12), (11,)
_BIT = 16
_ERROR, _TOO_LONG = 255, 1

_TYPES: Mapping[Any, str] = {
    pl.Int8: "TINYINT",
    pl.Int16: "SMALLINT",
    pl.Int32: "INT",
    pl.Int64: "BIGINT",
    pl.UInt8: "TINYINT UNSIGNED",
    pl.UInt16: "SMALLINT UNSIGNED",
    pl.UInt32: "INT UNSIGNED",
    pl.UInt64: "BIGINT UNSIGNED",
    pl.Float32: "DOUBLE",  # other programs see six digits of a FLOAT
    pl.Float64: "DOUBLE",
    pl.Boolean: "BOOLEAN",
    pl.String: "LONGTEXT",
    pl.Date: "DATE",
    pl.Time: "TIME(6)",
    pl.Datetime: "DATETIME(6)",
}


def read(connection: Any, select: str) -> pl.DataFrame:
    """All rows of a query; the connection cannot be used again."""
    raw = connection.connection.driver_connection
    try:
        fields = _prepared(raw, select)
        refuse_duplicates("The query", [field.name for field in fields])
        return decoded(_runs(raw._rfile), lambda run: _frame(run[0], run[1], fields), [field.name for field in fields])
    finally:
        raw._force_close()
        connection.invalidate()


def _prepared(raw: Any, select: str) -> list[Any]:
    """Prepare and execute a statement, which makes the server send binary rows; the fields that they have.

    NOTE: PyMySQL asks for text and makes a Python object of every value. Its commands, packets and stream are not
    public, but the protocol that they speak is, and the connection is thrown away afterwards.
    """
    from pymysql.protocol import FieldDescriptorPacket

    raw._execute_command(_PREPARE, select)
    statement, width = struct.unpack_from("<IH", raw._read_packet().get_all_data(), 1)
    for _ in range(width + 1):  # the fields and an end
        raw._read_packet()
    raw._execute_command(_EXECUTE, struct.pack("<IBI", statement, 0, 1))
    raw._read_packet()
    fields = [raw._read_packet(FieldDescriptorPacket) for _ in range(width)]
    raw._read_packet()
    return fields


def _runs(stream: Any) -> Iterator[tuple[NDArray[np.uint8], int]]:
    """Bytes of whole rows and their number, two megabytes at a time.

    The stream stays open after the last packet, so every part is looked through before the next one is asked for.
    """
    whole: list[bytes] = []
    size = rows = end = 0
    rest = b""
    while not end:
        part = stream.read1(2**20)
        if not part:
            raise InputError("The database closed the connection before the last row.")
        rest += part
        found, after, end = count_packets(np.frombuffer(rest, np.uint8), 0)
        whole.append(rest[:after])
        rest = rest[after:]
        rows, size = rows + found, size + after
        if rows and (end or size >= CHUNK_BYTES):
            yield np.frombuffer(b"".join(whole), np.uint8), rows
            whole, rows, size = [], 0, 0
    if end == _ERROR:
        raise InputError(f"The database stopped: {rest[13:].decode(errors='replace')}.")
    if end == _TOO_LONG:
        raise InputError("A row is longer than the limit of 16 MB: exclude its longest columns with a query.")


def _frame(run: NDArray[np.uint8], rows: int, fields: Sequence[Any]) -> pl.DataFrame:
    widths = np.array([_WIDTHS.get(field.type_code, 0) for field in fields], np.int64)
    begins, lengths = packet_fields(run, 0, rows, widths)
    return pl.DataFrame(
        [_column(field, Field(run, begins[i], lengths[i])).alias(field.name) for i, field in enumerate(fields)]
    )


def _column(described: Any, field: Field) -> pl.Series:
    code = described.type_code
    if code in _INTEGERS:
        signed = not described.flags & _UNSIGNED
        return field.little_integers(signed).cast(_INTEGERS[code][not signed])
    if code in _FLOATS:
        return field.little_floats().cast(_FLOATS[code])
    if code in _DECIMALS:
        return field.texts().cast(pl.Decimal(min(described.get_column_length(), 38), described.scale))
    if code in _DATES:
        return field.moments().cast(pl.Date)
    if code in _MOMENTS:
        return field.moments()
    if code in _TIMES:
        return field.clock_times()
    if code == _BIT:
        return field.integers()
    return field.binaries() if described.charsetnr == _BINARY_CHARSET else field.texts()


def write(connection: Any, tables: Sequence[tuple[TableName, pl.DataFrame]]) -> None:
    """Fill tables that live as long as the connection, then copy them and swap names in one statement.

    DDL is not transactional here. A client that is killed while it sends leaves nothing, because its temporary tables
    go with it; once the last statement is with the server, it is carried out whole.
    """
    raw = connection.connection.driver_connection
    dialect = connection.dialect
    server = str(raw.get_server_info())
    with raw.cursor() as cursor:
        cursor.execute("SELECT CONNECTION_ID(), DATABASE()")
        number, database = cursor.fetchone()
        cursor.execute("SELECT GET_LOCK(%s, 0)", (f"ammg_{number}",))
        _clean(cursor, tables[0][0].schema or database, dialect)
        for position, (name, frame) in enumerate(tables):
            frame = _exact(frame)
            sent = name.sibling(f"ammg_{number}_sent_{position}")
            cursor.execute(f"CREATE TEMPORARY TABLE {sent.quoted(dialect)} ({_columns(frame, dialect)}) {_OPTIONS}")
            _fill(raw, cursor, sent.quoted(dialect), frame)
        statements = list(_swap(cursor, tables, int(number), database, dialect))
        if "MariaDB" in server:  # one compound statement, so that nothing can stop it half-way
            statements = [f"BEGIN NOT ATOMIC {'; '.join(statements)}; END"]
        for statement in statements:
            cursor.execute(statement)
        cursor.execute("SELECT RELEASE_LOCK(%s)", (f"ammg_{number}",))


_OPTIONS = "ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"


def _clean(cursor: Any, database: str, dialect: Any) -> None:
    """Drop what a server that crashed or a killed statement left: tables of connections that are gone."""
    cursor.execute(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = %s "
        "AND table_name REGEXP '^ammg_[0-9]+_(new|old)_[0-9]+$'",
        (database,),
    )
    for (name,) in cursor.fetchall():
        cursor.execute("SELECT IS_USED_LOCK(%s)", (f"ammg_{name.split('_')[1]}",))
        if cursor.fetchone()[0] is None:
            cursor.execute(f"DROP TABLE IF EXISTS {TableName(database, name).quoted(dialect)}")


def _exact(frame: pl.DataFrame) -> pl.DataFrame:
    """What MariaDB has no value for: NaN is missing, infinite numbers and names that differ in case are refused."""
    lowered: dict[str, str] = {}
    for name in frame.columns:
        if name.lower() in lowered:
            raise InputError(
                f"MariaDB does not distinguish the columns '{lowered[name.lower()]}' and '{name}': rename one."
            )
        lowered[name.lower()] = name
    for column in frame:
        if column.dtype.is_float() and column.is_infinite().any():
            raise InputError(f"Column '{column.name}' has infinite numbers, which MariaDB cannot store: recode them.")
    zoned = [name for name, dtype in frame.schema.items() if isinstance(dtype, pl.Datetime) and dtype.time_zone]
    return frame.with_columns(
        pl.col(pl.Float32, pl.Float64).fill_nan(None),
        pl.col(pl.Boolean).cast(pl.Int8),
        pl.col(zoned).dt.convert_time_zone("UTC").dt.replace_time_zone(None),
    )


def _fill(raw: Any, cursor: Any, table: str, frame: pl.DataFrame) -> None:
    if not raw._local_infile:
        _insert(cursor, table, frame)
        return
    with tempfile.NamedTemporaryFile(prefix="ammg_", suffix=".csv") as file:  # mode 0600
        for part in ticking(frame.iter_slices(2**16), len(frame), "writing"):
            file.write(csv_bytes(part, missing="NULL"))
        file.flush()
        cursor.execute(
            f"LOAD DATA LOCAL INFILE %s INTO TABLE {table.replace('%', '%%')} CHARACTER SET utf8mb4 "
            "FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' ESCAPED BY '' LINES TERMINATED BY '\\n'",
            (file.name,),
        )
        if (warnings := cursor.warning_count) or cursor.rowcount != len(frame):
            cursor.execute("SHOW WARNINGS LIMIT 1")
            problem = cursor.fetchone()
            raise InputError(f"MariaDB rejected {warnings:,} values: {(problem[2] if problem else 'rows are lost')}.")


def _insert(cursor: Any, table: str, frame: pl.DataFrame) -> None:
    """Rows in statements of many, where the server or the URL forbids LOAD DATA LOCAL."""
    places = ", ".join(["%s"] * frame.width)
    for part in ticking(frame.iter_slices(2**14), len(frame), "writing"):
        cursor.executemany(f"INSERT INTO {table.replace('%', '%%')} VALUES ({places})", part.rows())


def _swap(
    cursor: Any, tables: Sequence[tuple[TableName, pl.DataFrame]], number: int, database: str, dialect: Any
) -> Iterator[str]:
    renames: list[str] = []
    replaced: list[str] = []
    for position, (name, frame) in enumerate(tables):
        sent, new, old = (name.sibling(f"ammg_{number}_{w}_{position}").quoted(dialect) for w in ("sent", "new", "old"))
        yield f"CREATE TABLE {new} ({_columns(_exact(frame.clear()), dialect)}) {_OPTIONS} AS SELECT * FROM {sent}"
        cursor.execute(
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = %s AND table_name = %s",
            (name.schema or database, name.name),
        )
        if cursor.fetchone()[0]:
            renames.append(f"{name.quoted(dialect)} TO {old}")
            replaced.append(old)
        renames.append(f"{new} TO {name.quoted(dialect)}")
    yield f"RENAME TABLE {', '.join(renames)}"
    if replaced:
        yield f"DROP TABLE {', '.join(replaced)}"


def _columns(frame: pl.DataFrame, dialect: Any) -> str:
    return ", ".join(f"{quoted(name, dialect)} {_type(dtype)}" for name, dtype in frame.schema.items())


def _type(dtype: pl.DataType) -> str:
    if isinstance(dtype, pl.Decimal):
        return f"DECIMAL({dtype.precision}, {dtype.scale})"
    return _TYPES[dtype.base_type()]
