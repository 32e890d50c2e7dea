"""Databases keep values, types and labels; a table is whole or as it was before."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from samples import DATES, MOMENTS, columns, described_facts, frames, labelled, schema_of
from servers import engine_of

import ammg
from ammg.errors import InputError
from ammg.io.database import Database

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8) | st.sampled_from(
    ["", "NULL", "NA", "007", '"', "a\\b", "é,\n;\t\r"]
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
KINDS = {
    **columns(TEXT),
    pl.Float64(): NUMBERS,
    pl.Float32(): st.floats(allow_nan=False, allow_infinity=False, width=32),
}
KINDS |= {pl.Date(): DATES, pl.Time(): MOMENTS.map(lambda moment: moment.time())}
KINDS |= {pl.Datetime("us", "Europe/Amsterdam"): MOMENTS.filter(lambda moment: moment.year > 1900)}


def tables(url: str) -> set[str]:
    with engine_of(url).connect() as connection:
        return set(sa.inspect(connection).get_table_names())


def run(url: str, *statements: str) -> None:
    with engine_of(url).begin() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frame=frames(KINDS))
def test_every_type_reads_back_as_it_was_written(database: str, frame: pl.DataFrame) -> None:
    url = f"{database}?table=ammg_test"
    Database().write(frame, schema_of(frame), url)
    after = ammg.read(url).table
    assert after.schema == frame.schema
    assert after.equals(frame)


def test_labels_are_in_a_table_beside_it(database: str) -> None:
    frame, schema = labelled()
    Database(table="ammg_test").write(frame, schema, database)
    assert {"ammg_test", "ammg_test_codebook"} <= tables(database)
    after = ammg.read(database, table="ammg_test")
    assert described_facts(after.schema) == described_facts(schema)


def test_a_release_goes_to_a_table(database: str) -> None:
    data = ammg.Microdata(pl.DataFrame({"age": [20, 30, 40], "name": ["a", "b", "c"]})).with_roles(identifier="name")
    masked = ammg.Pipeline([]).run(data)
    masked.release(force="a test of tables").write(database, table="ammg_test")
    assert sorted(ammg.read(database, table="ammg_test").table["age"]) == [20, 30, 40]
    assert "role" not in ammg.read(database, table="ammg_test_codebook").table["description"][0]


def test_a_query_is_read(database: str) -> None:
    frame = pl.DataFrame({"x": [1, 2, 3], "y": ["a", None, ""]})
    Database(table="ammg_test").write(frame, schema_of(frame), database)
    after = ammg.read(database, query="SELECT x + 1 AS z, y FROM ammg_test WHERE x > 1 ORDER BY x;").table
    assert after.rows() == [(3, None), (4, "")]


def test_an_old_table_is_replaced(database: str) -> None:
    for values in ([1, 2], [3]):
        frame = pl.DataFrame({"x": values})
        Database(table="ammg_test").write(frame, schema_of(frame), database)
    assert ammg.read(database, table="ammg_test").table["x"].to_list() == [3]
    assert not [name for name in tables(database) if name.startswith("ammg_") and name[5].isdigit()]


def test_a_failed_write_leaves_the_old_table(database: str) -> None:
    frame = pl.DataFrame({"x": [1]})
    Database(table="ammg_test").write(frame, schema_of(frame), database)
    wrong = pl.DataFrame({"x": [1], "y": [[1]]})
    with pytest.raises(InputError, match="'y' is List"):
        Database(table="ammg_test").write(wrong, schema_of(wrong), database)
    assert ammg.read(database, table="ammg_test").table.equals(frame)


@pytest.mark.parametrize("before", [None, 7])
def test_a_killed_write_leaves_the_old_table_or_none(database: str, before: int | None) -> None:
    if before is not None:
        old = pl.DataFrame({"x": [before]})
        Database(table="ammg_test").write(old, schema_of(old), database)
    program = (
        "import polars as pl, ammg, sys\n"
        "from ammg.data.microdata import Microdata\n"
        "from ammg.io.database import Database\n"
        "frame = pl.select(**{f'x{i}': pl.int_range(2_000_000) for i in range(8)})\n"
        "one = frame.head(1)\n"
        "Database(table='ammg_test_warm').write(one, Microdata(one).schema, sys.argv[1])\n"
        "print('writing', flush=True)\n"
        "Database(table='ammg_test').write(frame, Microdata(frame).schema, sys.argv[1])\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, database], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    left = tables(database)
    if before is None:
        assert "ammg_test" not in left
    else:
        assert ammg.read(database, table="ammg_test").table["x"].to_list() == [before]
    assert not [name for name in left if name.startswith("ammg_") and name[5].isdigit()]


def test_what_a_dead_connection_left_is_dropped_by_the_next_write(mariadb: str) -> None:
    run(mariadb, "CREATE TABLE ammg_999999999_new_0 (x INT)")
    frame = pl.DataFrame({"x": [1]})
    Database(table="ammg_test_stale").write(frame, schema_of(frame), mariadb)
    left = tables(mariadb)
    run(mariadb, "DROP TABLE ammg_test_stale", "DROP TABLE ammg_test_stale_codebook")
    assert "ammg_999999999_new_0" not in left


def test_types_of_postgresql_are_read(postgresql: str) -> None:
    query = (
        "SELECT 1::smallint AS a, 2.50::numeric(5,2) AS b, 'x'::varchar(3) AS c, '{\"k\": 1}'::jsonb AS d, "
        "'NaN'::float8 AS e, DATE '0044-03-15 BC' AS f, TIMESTAMPTZ '2024-02-29 12:00+02' AS g, NULL::int AS h, "
        "TIME '23:59:59.5' AS i, '9e99'::numeric AS j, 'infinity'::real AS k"
    )
    table = ammg.read(postgresql, query=query).table
    types = [pl.Int16, pl.Decimal(5, 2), pl.String, pl.String, pl.Float64, pl.Date, pl.Datetime("us", "UTC"), pl.Int32]
    assert table.dtypes == [*types, pl.Time, pl.Float64, pl.Float32]
    row: dict[str, Any] = table.select("a", "b", "c", "d", "h", "j", "k").row(0, named=True)
    assert str(row["b"]) == "2.50"
    assert (row["a"], row["c"], row["d"], row["h"], row["j"]) == (1, "x", '{"k": 1}', None, 9e99)
    assert row["k"] == float("inf")


def test_types_of_mariadb_are_read(mariadb: str) -> None:
    query = (
        "SELECT CAST(2.5 AS DECIMAL(5,2)) a, CAST('2024-02-29' AS DATE) b, CAST('23:59:59.5' AS TIME(1)) c, "
        "CAST('2024-02-29 12:00:00.000001' AS DATETIME(6)) d, -5 e, CAST(18446744073709551615 AS UNSIGNED) f, "
        "CAST('838:59:59' AS TIME) g, NULL h, REPEAT('é', 70000) i, 1e-300 j, x'00ff' k"
    )
    table = ammg.read(mariadb, query=query).table
    row = table.row(0, named=True)
    assert str(row["a"]) == "2.50"
    assert [str(row[name]) for name in "bcd"] == ["2024-02-29", "23:59:59.500000", "2024-02-29 12:00:00.000001"]
    assert (row["e"], row["f"], row["h"], row["j"], row["k"]) == (-5, 2**64 - 1, None, 1e-300, b"\x00\xff")
    assert row["g"].total_seconds() == 838 * 3600 + 59 * 60 + 59
    assert row["i"] == "é" * 70_000


def test_rows_are_inserted_where_load_data_is_not_allowed(mariadb: str) -> None:
    frame = pl.DataFrame({"x": [1, None], "y": ["a\\b", 'q"']})
    url = f"{mariadb}?local_infile=0&table=ammg_test_insert"
    Database().write(frame, schema_of(frame), url)
    after = ammg.read(url).table
    run(mariadb, "DROP TABLE ammg_test_insert", "DROP TABLE ammg_test_insert_codebook")
    assert after.equals(frame)


def test_infinite_numbers_are_refused_by_mariadb_alone(database: str) -> None:
    frame = pl.DataFrame({"x": [float("inf")]})
    if database.startswith("mariadb"):
        with pytest.raises(InputError, match="'x' has infinite numbers"):
            Database(table="ammg_test").write(frame, schema_of(frame), database)
    else:
        Database(table="ammg_test").write(frame, schema_of(frame), database)
        assert ammg.read(database, table="ammg_test").table.equals(frame)


def test_a_wrong_password_is_one_sentence_without_the_password(mariadb: str) -> None:
    url = mariadb.replace("root@", "root:s3cret@")
    with pytest.raises(InputError, match="Access denied for user 'root'") as caught:
        ammg.read(url, table="patients")
    assert "s3cret" not in str(caught.value)


def test_an_unknown_user_is_one_sentence(postgresql: str) -> None:
    url = postgresql.replace("postgres@", "nobody_at_all:s3cret@")
    with pytest.raises(InputError, match="nobody_at_all") as caught:
        ammg.read(url, table="patients")
    assert "s3cret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_table_is_named_with_the_nearest(database: str) -> None:
    frame = pl.DataFrame({"x": [1]})
    Database(table="ammg_test_patients").write(frame, schema_of(frame), database)
    with pytest.raises(InputError, match=r"'ammg_test_patient' not found\. Did you mean 'ammg_test_patients'"):
        ammg.read(database, table="ammg_test_patient")


def test_two_columns_of_one_name_in_a_query_are_refused(database: str) -> None:
    with pytest.raises(InputError, match=r"two columns called 'x'|'x' specified more than once|ambiguous"):
        ammg.read(database, query="SELECT 1 AS x, 2 AS x")


def test_a_query_that_is_no_sql_is_one_sentence(database: str) -> None:
    with pytest.raises(InputError, match=r"(?i)syntax") as caught:
        ammg.read(database, query="SELEC 1")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://127.0.0.1:1/test?table=x", "refused"),
        ("sqlite:///nowhere.db?table=x", "nowhere.db' does not exist"),
        ("sqlite:///:memory:", "Name a table or a query"),
        ("nosuchdb://host/db?table=x", "database type 'nosuchdb' is not known"),
        ("postgresql://host:port/db?table=x", "URL cannot be read"),
    ],
)
def test_a_bad_url_is_one_sentence(url: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        ammg.read(url)
    assert "\n" not in str(caught.value)


def test_a_table_must_be_named_to_be_written(tmp_path: Path) -> None:
    frame = pl.DataFrame({"x": [1]})
    with pytest.raises(InputError, match="Name the table to write to"):
        Database().write(frame, schema_of(frame), f"sqlite:///{tmp_path}/a.db")
    assert not list(tmp_path.iterdir())


NAMES = ["100%", "%s", "%(x)s", "%%", 'a"b', "a`b", "a:b", "x?y", "semi;colon", "[a]"]


def test_names_with_signs_of_sql_come_back_as_they_were(database: str) -> None:
    frame = pl.DataFrame({name: [number, None] for number, name in enumerate(NAMES)}).cast(pl.Int64)
    for table in ("ammg_test", "ammg_test_50%"):
        Database(table=table).write(frame, schema_of(frame), database)
        mark = "`" if database.startswith("mariadb") else '"'
        with engine_of(database).connect().execution_options(no_parameters=True) as connection:
            assert list(connection.exec_driver_sql(f"SELECT * FROM {mark}{table}{mark}").keys()) == NAMES
        assert ammg.read(database, table=table).table.equals(frame)


@pytest.mark.parametrize("name", ["postgresql", "mariadb"])
def test_an_option_that_the_driver_does_not_have_is_refused(request: pytest.FixtureRequest, name: str) -> None:
    with pytest.raises(InputError, match="nonsense"):
        ammg.read(f"{request.getfixturevalue(name)}?table=t&nonsense=1")


def test_a_password_from_the_environment_connects(postgresql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    url = sa.make_url(postgresql)
    monkeypatch.setenv("STUDY_PASSWORD", url.password or "any p@ss/word")
    frame = pl.DataFrame({"x": [1, 2]})
    Database(table="ammg_test_env").write(frame, schema_of(frame), postgresql)
    named = url.set(password="PLACE").render_as_string(hide_password=False).replace("PLACE", "${STUDY_PASSWORD}")
    assert ammg.read(f"{named}?table=ammg_test_env").table.equals(frame)
    run(postgresql, "DROP TABLE ammg_test_env", "DROP TABLE ammg_test_env_codebook")


def test_a_service_file_connects(postgresql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = sa.make_url(postgresql)
    facts = {"host": url.host, "port": url.port, "dbname": url.database, "user": url.username}
    lines = [f"{key}={value}" for key, value in facts.items() if value is not None]
    (tmp_path / "services").write_text(
        "\n".join(["[study]", *lines, *([f"password={url.password}"] if url.password else [])])
    )
    monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / "services"))
    assert ammg.read("postgresql:///?service=study&query=SELECT 1 AS x").table["x"].to_list() == [1]


def test_an_option_file_connects(mariadb: str, tmp_path: Path) -> None:
    url = sa.make_url(mariadb)
    facts = {"host": url.host, "port": url.port, "user": url.username, "password": url.password}
    lines = [f"{key}={value}" for key, value in facts.items() if value is not None]
    (tmp_path / "my.cnf").write_text("\n".join(["[client]", *lines]))
    source = f"mariadb:///{url.database}?read_default_file={tmp_path}/my.cnf&query=SELECT 1 AS x"
    assert ammg.read(source).table["x"].to_list() == [1]
