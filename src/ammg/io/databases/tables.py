"""Names of tables, and what every database is given: microseconds, no nested columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from ammg.errors import InputError
from ammg.io.csv import as_text
from ammg.io.types import flattened


@dataclass(frozen=True)
class TableName:
    """A table in a schema (None for the default one)."""

    schema: str | None
    name: str

    @classmethod
    def of(cls, text: str) -> TableName:
        """`patients` or `study.patients`."""
        schema, _, name = text.rpartition(".")
        return cls(schema or None, name)

    def sibling(self, name: str) -> TableName:
        """Another table in the same schema."""
        return TableName(self.schema, name)

    @property
    def codebook(self) -> TableName:
        """The table that holds the codebook of this one."""
        return self.sibling(f"{self.name}_codebook")

    def quoted(self, dialect: Any) -> str:
        """The name as the database's SQL writes it."""
        parts = [self.schema, self.name] if self.schema else [self.name]
        return ".".join(quoted(part, dialect) for part in parts)

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}" if self.schema else self.name


def quoted(name: str, dialect: Any) -> str:
    """A name as the database's SQL writes it.

    NOTE: SQLAlchemy's own also doubles every percent sign, for drivers that are given parameters; here none are.
    """
    preparer = dialect.identifier_preparer
    end = preparer.final_quote
    return f"{preparer.initial_quote}{name.replace(end, end * 2)}{end}"


def storable(table: pl.DataFrame) -> pl.DataFrame:
    """Types that databases have; moments between microseconds, which none has, are refused."""
    for name, dtype in table.schema.items():
        if isinstance(dtype, pl.Datetime) and dtype.time_unit == "ns" and (table[name].dt.nanosecond() % 1000).any():
            raise InputError(f"Column '{name}' has nanoseconds, but databases keep microseconds: round it first.")
    return flattened(table)


def csv_bytes(table: pl.DataFrame, missing: str = "") -> memoryview:
    """Records as CSV with texts quoted, so that a missing value (`missing`, unquoted) is no text."""
    import io

    buffer = io.BytesIO()
    as_text(table).write_csv(buffer, include_header=False, quote_style="non_numeric", null_value=missing)
    return buffer.getbuffer()
