"""Reading and writing tables: `python benchmarks/bench_databases.py [rows] [repetitions]`.

200,000 rows × 20 columns by default; 1,000,000 is the size of the promise (no worse than twice the fastest plain way).
PostgreSQL and MariaDB are those of 127.0.0.1, database test. The baselines move the same rows the fastest plain way
that Python has: COPY as CSV, ADBC and ConnectorX (where they are installed) for PostgreSQL; LOAD DATA LOCAL, ConnectorX
(where installed) and PyMySQL for MariaDB. Ways take turns, so that a busy machine is busy for all of them; the figure
is the median of the ratios to the fastest baseline.
"""

from __future__ import annotations

import io
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np
import polars as pl

import ammg
from ammg import registry
from ammg.data.microdata import Microdata

POSTGRESQL = "postgresql://postgres@127.0.0.1:5432/test"
MARIADB = "mysql://root@127.0.0.1:3306/test"
CSV = {"include_header": False, "datetime_format": "%Y-%m-%d %H:%M:%S%.6f"}


def sample(rows: int) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    words = np.array([f"catégorie {i}" for i in range(50)])
    columns: dict[str, Any] = {f"whole{i}": rng.integers(0, 10 ** (i + 2), rows) for i in range(6)}
    columns |= {f"real{i}": rng.normal(0, 10**i, rows) for i in range(6)}
    columns |= {f"text{i}": words[rng.integers(0, 50, rows)] for i in range(4)}
    frame = pl.DataFrame(columns).with_columns(
        flag=pl.Series(rng.random(rows) < 0.5),
        day=pl.Series(rng.integers(0, 20_000, rows).astype(np.int32)).cast(pl.Date),
        moment=pl.Series(rng.integers(0, 10**15, rows)).cast(pl.Datetime("us")),
        note=pl.lit('with, "quotes"'),
    )
    return frame.with_columns(note=pl.when(pl.Series(rng.random(rows) < 0.3)).then("note"))


def main(rows: int, repetitions: int) -> None:
    frame = sample(rows)
    schema = Microdata(frame).schema
    for title, base, ways in (
        ("PostgreSQL", POSTGRESQL, (postgresql_writes, postgresql_reads)),
        ("MariaDB", MARIADB, (mariadb_writes, mariadb_reads)),
    ):
        url = f"{base}?table=ammg_bench"
        # loads drivers and compiles kernels before the clock starts
        registry.format_for(url).write(frame.head(1000), schema, url)
        ammg.read(url)
        compare(
            f"{title} write", lambda u=url: registry.format_for(u).write(frame, schema, u), ways[0](frame), repetitions
        )
        ammg.read(url)  # the first reader after a write pays for it
        compare(f"{title} read", lambda u=url: ammg.read(u), ways[1](frame), repetitions)


def compare(title: str, ours: Callable[[], Any], baselines: dict[str, Callable[[], Any]], repetitions: int) -> None:
    times: dict[str, list[float]] = {name: [] for name in ("AMMG", *baselines)}
    for _ in range(repetitions):
        for name, way in {"AMMG": ours, **baselines}.items():
            start = time.perf_counter()
            way()
            times[name].append(time.perf_counter() - start)
    ratios = [own / min(others) for own, *others in zip(*times.values(), strict=True)]
    shown = ", ".join(f"{name} {statistics.median(seconds):.2f} s" for name, seconds in times.items())
    print(f"{title}: ratio to the fastest {statistics.median(ratios):.2f} ({shown})")


def postgresql_writes(frame: pl.DataFrame) -> dict[str, Callable[[], Any]]:
    import psycopg

    types = {pl.Int64: "bigint", pl.Float64: "double precision", pl.String: "text", pl.Boolean: "boolean"}
    types |= {pl.Date: "date", pl.Datetime: "timestamp"}
    columns = ", ".join(f"{name} {types[dtype.base_type()]}" for name, dtype in frame.schema.items())

    def copy_csv() -> None:
        with psycopg.connect(POSTGRESQL) as connection:
            connection.execute("DROP TABLE IF EXISTS plain_bench")
            connection.execute(f"CREATE TABLE plain_bench ({columns})")
            with connection.cursor().copy("COPY plain_bench FROM STDIN (FORMAT csv)") as copy:
                for part in frame.iter_slices(50_000):
                    copy.write(part.write_csv(**CSV).encode())

    ways: dict[str, Callable[[], Any]] = {"COPY": copy_csv}
    if find_spec("adbc_driver_postgresql"):
        from adbc_driver_postgresql import dbapi

        def adbc() -> None:
            with dbapi.connect(POSTGRESQL) as connection, connection.cursor() as cursor:
                cursor.adbc_ingest("adbc_bench", frame.to_arrow(), mode="replace")
                connection.commit()

        ways["ADBC"] = adbc
    return ways


def postgresql_reads(frame: pl.DataFrame) -> dict[str, Callable[[], Any]]:
    import psycopg

    texts = {
        name: dtype if dtype.is_numeric() or dtype == pl.Date else pl.String for name, dtype in frame.schema.items()
    }

    def copy_csv() -> None:
        buffer = io.BytesIO()
        with (
            psycopg.connect(POSTGRESQL) as connection,
            connection.cursor().copy("COPY ammg_bench TO STDOUT (FORMAT csv)") as copy,
        ):
            for row in copy:
                buffer.write(row)
        table = pl.read_csv(buffer.getvalue(), has_header=False, schema=texts)
        table.with_columns(pl.col("flag") == "t", pl.col("moment").str.to_datetime("%Y-%m-%d %H:%M:%S%.f"))

    ways: dict[str, Callable[[], Any]] = {"COPY": copy_csv}
    if find_spec("adbc_driver_postgresql"):
        from adbc_driver_postgresql import dbapi

        def adbc() -> None:
            with dbapi.connect(POSTGRESQL) as connection, connection.cursor() as cursor:
                cursor.execute("SELECT * FROM ammg_bench")
                pl.from_arrow(cursor.fetch_arrow_table())

        ways["ADBC"] = adbc
    return ways | connectorx(POSTGRESQL)


def mariadb_writes(frame: pl.DataFrame) -> dict[str, Callable[[], Any]]:
    import pymysql

    types = {pl.Int64: "bigint", pl.Float64: "double", pl.String: "longtext", pl.Boolean: "boolean"}
    types |= {pl.Date: "date", pl.Datetime: "datetime(6)"}
    columns = ", ".join(f"{name} {types[dtype.base_type()]}" for name, dtype in frame.schema.items())

    def load_data() -> None:
        connection = pymysql.connect(host="127.0.0.1", user="root", database="test", local_infile=True)
        with connection, connection.cursor() as cursor, tempfile.NamedTemporaryFile() as file:
            cursor.execute("DROP TABLE IF EXISTS plain_bench")
            cursor.execute(f"CREATE TABLE plain_bench ({columns})")
            frame.with_columns(pl.col("flag").cast(pl.Int8)).write_csv(file.name, null_value="NULL", **CSV)
            cursor.execute(
                f"LOAD DATA LOCAL INFILE '{file.name}' INTO TABLE plain_bench CHARACTER SET utf8mb4 "
                "FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"' ESCAPED BY ''"
            )
            connection.commit()

    return {"LOAD DATA": load_data}


def mariadb_reads(frame: pl.DataFrame) -> dict[str, Callable[[], Any]]:
    import pymysql

    def fetch() -> None:
        connection = pymysql.connect(host="127.0.0.1", user="root", database="test")
        with connection, connection.cursor() as cursor:
            cursor.execute("SELECT * FROM ammg_bench")
            pl.DataFrame(cursor.fetchall(), schema=frame.columns, orient="row")

    return connectorx(MARIADB) or {"PyMySQL": fetch}


def connectorx(url: str) -> dict[str, Callable[[], Any]]:
    if not find_spec("connectorx"):
        return {}
    import connectorx as cx

    return {"ConnectorX": lambda: cx.read_sql(url, "SELECT * FROM ammg_bench", return_type="polars")}


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    main(*(numbers + [200_000, 5][len(numbers) :]))
