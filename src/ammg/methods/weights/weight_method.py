"""Shared base of methods on the sampling weight."""

from __future__ import annotations

from typing import ClassVar

from ammg.data.attribute import Kind
from ammg.data.published import Published
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Method, Plan
from ammg.summaries.summary import Source


class WeightMethod(Method):
    """Base of methods that mask the sampling weight, or other columns that are named."""

    accepts: ClassVar[Kind] = Kind.NUMERIC
    searched: ClassVar[bool] = False
    """The search does not mask weights."""

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The weight unless columns are named."""
        if self.columns is not None:
            return super().chosen(schema)
        if schema.weight is None:
            raise InputError(
                f"{self.name} masks the sampling weight, and no attribute has that role: name its columns."
            )
        return (schema.weight,)

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Weights get fractions."""
        names = self.chosen(source.schema)
        schema = source.schema.select(names)
        schema = schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))
        return Plan(schema, published=(Published(names),))
