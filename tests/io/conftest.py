"""Databases to write to: SQLite always, PostgreSQL and MariaDB where they are reachable."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from servers import engine_of, server


@pytest.fixture(params=["sqlite", "postgresql", "mariadb"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database; tables called ammg_test… are dropped afterwards."""
    url = f"sqlite:///{tmp_path}/test.db" if request.param == "sqlite" else server(request.param)
    if request.param == "sqlite":
        (tmp_path / "test.db").touch()
    yield url
    engine = engine_of(url)
    with engine.begin() as connection:
        for name in sa.inspect(connection).get_table_names():
            if name.startswith("ammg_test"):
                connection.exec_driver_sql(f"DROP TABLE {engine.dialect.identifier_preparer.quote_identifier(name)}")


@pytest.fixture
def postgresql() -> str:
    return server("postgresql")


@pytest.fixture
def mariadb() -> str:
    return server("mariadb")
