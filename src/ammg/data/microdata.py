"""Microdata: records of people with what their owner says about each attribute."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from ammg.data.attribute import Attribute, Kind, Level, Role
from ammg.data.block import Block
from ammg.data.declaration import declared, exceptions
from ammg.data.encoding import ID, categories_of, kind_of, to_block
from ammg.data.hierarchy import Hierarchy
from ammg.data.native import Native
from ammg.data.schema import Schema
from ammg.data.streamed_table import StreamedTable
from ammg.errors import DataWarning, InputError, did_you_mean

Names = str | Iterable[str]


class Microdata:
    """A table and its schema. Nothing changes in place: every `with_…` returns new microdata on the same table."""

    def __init__(self, frame: Any, schema: Schema | None = None) -> None:
        """Take a polars, pandas or pyarrow table (or anything narwhals reads), or a `StreamedTable`."""
        if isinstance(frame, StreamedTable):
            self._table: pl.DataFrame | StreamedTable = frame
            self.native = Native("polars")
        else:
            self.native = Native.of(frame)
            self._table = self.native.to_polars(frame)
        self._dictionaries: dict[str, tuple[Any, ...]] = {}
        if ID in self._table.schema:
            raise InputError(f"Column '{ID}' is reserved for record ids: rename it.")
        for name, dtype in self._table.schema.items():
            if isinstance(dtype, pl.BaseExtension):  # periods and intervals of pandas
                raise InputError(f"Column '{name}' is {dtype}: convert it to text, numbers or dates first.")
        self.schema = schema or Schema(
            tuple(Attribute(name=name, kind=kind_of(dtype)) for name, dtype in self._table.schema.items())
        )

    @property
    def table(self) -> pl.DataFrame:
        """The records as a polars frame."""
        return self._table if isinstance(self._table, pl.DataFrame) else self._table.read()

    @property
    def streamed(self) -> StreamedTable | None:
        """The table that the records stay in, or None when they are in memory."""
        return self._table if isinstance(self._table, StreamedTable) else None

    @property
    def columns(self) -> list[str]:
        """Column names, in file order."""
        return self.schema.names

    def __len__(self) -> int:
        return self._table.height

    def __repr__(self) -> str:
        roles = ", ".join(
            f"{len(names)} {role}" for role in Role if (names := self.schema.with_role(role)) and role is not Role.OTHER
        )
        return f"Microdata({len(self):,} records × {len(self.schema)} attributes; {roles or 'no roles given yet'})"

    def with_roles(self, **roles: Names) -> Microdata:
        """Say which attributes are identifier, key, confidential, weight, household, stratum or other."""
        given: dict[str, str] = {}
        changed = []
        for word, names in roles.items():
            if word not in set(Role):
                raise InputError(f"Unknown role '{word}'.{did_you_mean(word, [role.value for role in Role])}")
            for name in _names(names):
                if name in given:
                    raise InputError(
                        f"Column '{name}' is given two roles, {given[name]} and {word}: an attribute has one role."
                    )
                given[name] = word
                changed.append(self.schema[name].replace(role=Role(word)))
        schema = self.schema.replace(*changed)
        for role in (Role.WEIGHT, Role.HOUSEHOLD):
            if len(holders := schema.with_role(role)) > 1:
                raise InputError(f"Columns {holders} all have the role {role}: one attribute can have it.")
        data = self._with_schema(schema)
        if "weight" in roles:
            data._check_weights()
        return data

    def with_kinds(self, **kinds: Names) -> Microdata:
        """Say which attributes are continuous, integer, date, ordinal, nominal or text."""
        changed = [
            self.schema[name].replace(kind=Kind.of(word), categories=None)
            for word, names in kinds.items()
            for name in _names(names)
        ]
        return self._with_schema(self.schema.replace(*changed))

    def with_levels(self, **levels: Names) -> Microdata:
        """Say which attributes describe the household rather than the person."""
        for word in levels:
            if word not in set(Level):
                raise InputError(f"Unknown level '{word}'.{did_you_mean(word, [level.value for level in Level])}")
        changed = [
            self.schema[name].replace(level=Level(word)) for word, names in levels.items() for name in _names(names)
        ]
        return self._with_schema(self.schema.replace(*changed))

    def with_links(self, links: Mapping[str, str]) -> Microdata:
        """Link attributes to the one whose fate they follow: `{"income_band": "income"}`."""
        schema = self.schema.replace(*(self.schema[name].replace(linked_to=leader) for name, leader in links.items()))
        for attribute in schema:
            if attribute.linked_to == attribute.name:
                raise InputError(f"Column '{attribute.name}' is linked to itself: name the one it follows.")
            if attribute.linked_to and schema[attribute.linked_to].linked_to:
                raise InputError(
                    f"Column '{attribute.name}' is linked to '{attribute.linked_to}', which is linked itself: "
                    "link both to the attribute that leads."
                )
        return self._with_schema(schema)

    def with_hierarchies(self, hierarchies: Mapping[str, Hierarchy]) -> Microdata:
        """Give attributes the hierarchies along which they may be recoded."""
        changed = [self.schema[name].replace(hierarchy=tree) for name, tree in hierarchies.items()]
        return self._with_schema(self.schema.replace(*changed))

    def with_identities(self, *identities: str) -> Microdata:
        """Say which sums hold: `data.with_identities("income = wages + pensions", "net = gross - 0.2 tax")`.

        An identity that fails in some records is used all the same, with a warning; in most of them, it is refused.
        """
        schema = declared(self.schema, self._table.schema, identities, self._each)
        for identity in schema.identities[len(self.schema.identities) :]:
            if identity.broken:
                warnings.warn(exceptions(identity, len(self)), DataWarning, stacklevel=2)
        return self._with_schema(schema)

    def _each(self, columns: Sequence[str], work: Callable[[pl.DataFrame], Any]) -> Iterable[Any]:
        if isinstance(self._table, StreamedTable):
            return self._table.each(columns, work)
        return [work(self._table.select(columns))]

    def dictionary(self, name: str) -> tuple[Any, ...]:
        """The categories of an attribute, in the order of their codes."""
        if (known := self.schema[name].categories) is not None:
            return known
        if name not in self._dictionaries:
            dtype = self._table.schema[name]
            if isinstance(dtype, pl.Enum):
                column = pl.Series(dtype=dtype)
            else:
                column = self._table[name] if isinstance(self._table, pl.DataFrame) else self._table.distinct(name)
            self._dictionaries[name] = categories_of(column)
        return self._dictionaries[name]

    def block(self, names: Iterable[str]) -> Block:
        """Some columns of all records as numpy arrays."""
        names = list(names)
        schema = Schema(tuple(self._filled(self.schema[name]) for name in names))
        frame = self._table.select(names) if isinstance(self._table, pl.DataFrame) else self._table.read(names)
        ids = pl.int_range(len(self), dtype=pl.Int64, eager=True).alias(ID)
        return to_block(frame.with_columns(ids), schema, names)

    def _filled(self, attribute: Attribute) -> Attribute:
        if attribute.is_categorical and attribute.categories is None:
            return attribute.replace(categories=self.dictionary(attribute.name))
        return attribute

    def _with_schema(self, schema: Schema) -> Microdata:
        data = Microdata.__new__(Microdata)
        data._table, data.native, data.schema, data._dictionaries = self._table, self.native, schema, {}
        return data

    def _check_weights(self) -> None:
        name = self.schema.weight
        if name is None:
            return
        if not self.schema[name].is_numeric:
            raise InputError(f"Weight '{name}' is {self.schema[name].kind.label}: weights are numbers.")
        if isinstance(self._table, StreamedTable) and self._table.remote:
            return  # the engine checks them where they are
        weights = self.block([name]).numbers(name)
        for problem, wrong in (
            ("missing", np.isnan(weights)),
            ("negative", weights < 0),
            ("infinite", np.isinf(weights)),
        ):
            if wrong.any():
                record = int(np.flatnonzero(wrong)[0])
                raise InputError(
                    f"Weight '{name}' is {problem} in {int(wrong.sum()):,} records, the first is record {record}: "
                    "correct the weights or leave the role out."
                )
        if len(weights) and not weights.any():
            raise InputError(f"Weight '{name}' is zero in all records: correct the weights or leave the role out.")


def _names(names: Names) -> list[str]:
    if isinstance(names, str):
        return [names]
    if not isinstance(names, Iterable):
        raise InputError(f"{names!r} names no columns: give a name, or a list of names.")
    return list(names)
