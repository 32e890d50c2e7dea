"""Common parts of all tables: names, types that behave the same in every database, ids."""

from __future__ import annotations

import secrets
import unicodedata
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import mysql
from sqlalchemy.orm import DeclarativeBase

_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """Base class of all tables."""

    metadata = sa.MetaData(naming_convention=_NAMES)


class Moment(sa.types.TypeDecorator[datetime]):
    """A time in UTC with microseconds, whatever the database's support for time zones."""

    impl = sa.DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        """MariaDB stores whole seconds by default."""
        fine = dialect.name in ("mysql", "mariadb")
        return dialect.type_descriptor(mysql.DATETIME(fsp=6) if fine else sa.DateTime())

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """To UTC without a zone."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """From UTC without a zone."""
        return None if value is None else value.replace(tzinfo=UTC)


Sealed = sa.LargeBinary().with_variant(mysql.LONGBLOB(), "mysql", "mariadb")
"""A column that may contain values of the data: encrypted by the vault."""

Id = sa.String(20)


def text(length: int) -> sa.String:
    """Text compared by code points, also in MariaDB."""
    exact = mysql.VARCHAR(length, charset="utf8mb4", collation="utf8mb4_bin")
    return sa.String(length).with_variant(exact, "mysql", "mariadb")


LongText = sa.Text().with_variant(mysql.LONGTEXT(charset="utf8mb4", collation="utf8mb4_bin"), "mysql", "mariadb")


def new_id() -> str:
    """A random id, which does not reveal how many rows there are."""
    return secrets.token_hex(10)


def folded(name: str) -> str:
    """A name without regard to case and spelling of accents, in which names must differ."""
    return unicodedata.normalize("NFKC", name).casefold()
