"""Databases to test with, and connections to them that owe nothing to the library."""

import os

import pytest
import sqlalchemy as sa

SERVERS = {
    "postgresql": os.environ.get("AMMG_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/test"),
    "mariadb": os.environ.get("AMMG_TEST_MARIADB", "mariadb://root@127.0.0.1:3306/test"),
}
DRIVERS = {"postgresql": "postgresql+psycopg", "mariadb": "mariadb+pymysql", "sqlite": "sqlite"}


def engine_of(url: str) -> sa.Engine:
    parsed = sa.make_url(url)
    return sa.create_engine(parsed.set(drivername=DRIVERS[parsed.drivername]), poolclass=sa.NullPool)


def server(name: str) -> str:
    try:
        with engine_of(SERVERS[name]).connect():
            return SERVERS[name]
    except (sa.exc.SQLAlchemyError, ModuleNotFoundError) as error:
        pytest.skip(f"{name} is not reachable: {str(error).splitlines()[0]}")
