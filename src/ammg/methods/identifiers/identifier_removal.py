"""Identifier removal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ammg.data.attribute import Kind, Level, Role
from ammg.data.block import Block
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Method, Plan
from ammg.methods.usage import Usage
from ammg.params import param
from ammg.summaries.summary import Source


class IdentifierRemoval(Method):
    """Drop identifiers and everything linked to them.

    `release()` drops them in any case; as a step, it makes sure that no later step sees a name. It does not prevent
    linkage by the other attributes: an intruder finds people with a unique combination of keys or numbers as before.
    Source: Truta, Fotouhi and Barth-Jones (2003), section 3.
    """

    accepts: ClassVar[Kind] = Kind.ANY
    searched: ClassVar[bool] = False

    columns: tuple[str, ...] | None = param(None, "Columns to drop; by default all identifiers.")

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The named columns, by default all identifiers."""
        names = self.columns if self.columns is not None else schema.with_role(Role.IDENTIFIER)
        return tuple(schema[name].name for name in names)

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """Nothing: columns are dropped unseen."""
        return ()

    def acts_on(self, schema: Schema) -> Level:
        """Columns of persons and of households can be dropped alike."""
        return Level.PERSON

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Nothing to allow for."""
        return Usage("Dropping identifiers changes no other column.")

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Name the columns to drop."""
        dropped = self.chosen(source.schema)
        if len(dropped) == len(source.schema):
            raise InputError("Every column would be dropped: give some attributes another role than identifier.")
        return Plan(Schema(()), dropped=dropped)

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Leave the records as they are."""
        return block
