"""Rounding of sampling weights."""

from __future__ import annotations

import numpy as np

from ammg.data.block import Block
from ammg.data.published import Rounding
from ammg.draws import Draws
from ammg.methods.method import Plan
from ammg.methods.weights.weight_method import WeightMethod
from ammg.params import param
from ammg.summaries.summary import Source


class WeightRounding(WeightMethod):
    """Round sampling weights to multiples of a base at random, none of them to zero.

    Fewer distinct weights reveal fewer design strata. Each weight goes to one of its two neighbouring multiples,
    without bias; weights below the base become the base, so totals rise a little if there are many. An intruder who
    knows the design can still distinguish strata whose weights differ by more than the base. Source: μ-ARGUS, which
    offers rounding of weights.
    """

    base: float = param(1.0, "Weights become multiples of this.", gt=0)

    def plan(self, source: Source, draws: Draws) -> Plan:
        """The base is published."""
        plan = super().plan(source, draws)
        return Plan(plan.schema, published=(Rounding(tuple(plan.schema.names), self.base, random=True),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Round every weight by its own draw."""
        from ammg.kernels.rounding.rounding import round_random

        masked = {}
        for name in plan.schema.names:
            rounded = round_random(block.numbers(name), self.base, draws.uniform(block.ids, name))
            masked[name] = np.maximum(rounded, self.base)
        return block.with_columns(masked)
