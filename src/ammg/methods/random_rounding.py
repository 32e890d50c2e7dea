"""Unbiased random rounding."""

from __future__ import annotations

from typing import ClassVar

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.disclosure import Rounding
from ammg.draws import Draws
from ammg.methods.finite import refuse_infinite, refuse_tiny_base
from ammg.methods.method import Method, Plan
from ammg.params import param
from ammg.summaries.summary import Source


class RandomRounding(Method):
    """Round each number up or down to a multiple of a base at random, so that its expectation is the number.

    Every value goes to one of its two neighbouring multiples; multiples stay. Keeps means and totals in expectation;
    adds a variance of r·(b - r) to a value with residual r. Source: Shlomo's overview of disclosure control methods.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC

    base: float = param(10.0, "Numbers become multiples of this.", gt=0)

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Integers stay integers when the base is one."""
        names = self.chosen(source.schema)
        refuse_tiny_base(self.base, names, refuse_infinite(source, names))
        schema = source.schema.select(names)
        if not float(self.base).is_integer():
            schema = schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))
        return Plan(schema, disclosed=(Rounding(names, self.base),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Round every observed value by its own draw."""
        from ammg.kernels.rounding import round_random

        return block.with_columns(
            {
                name: round_random(block.numbers(name), self.base, draws.uniform(block.ids, name))
                for name in plan.schema.names
            }
        )
