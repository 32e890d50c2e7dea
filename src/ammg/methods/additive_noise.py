"""Uncorrelated additive noise."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.disclosure import NoiseLaw
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.methods.method import Method, Plan
from ammg.params import param
from ammg.summaries.moments import Moments
from ammg.summaries.summary import Source


class AdditiveNoise(Method):
    """Add independent normal noise to each number: z = x + p·s·e.

    Keeps means and covariances between columns in expectation; variances grow by 1 + p², so correlations shrink by
    1/(1 + p²). Source: Mateo-Sanz, Sebé and Domingo-Ferrer (2004), section 3.1.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC

    p: float = param(
        0.1, "Standard deviation of the noise, in standard deviations of the column.", gt=0, le=5, search=(0.02, 0.5)
    )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Find the standard deviations, weighted where there is a weight."""
        names = self.chosen(source.schema)
        moments = [source.fold(Moments((name,), source.schema.weight)) for name in names]
        scale = np.array([self.p * float(value.deviation[0]) for value in moments])
        schema = source.schema.select(names)
        schema = schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))
        law = NoiseLaw(names, np.diag(scale**2), self.p**2)
        return Plan(schema, dict(zip(names, scale.tolist(), strict=True)), (law,))

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The masked columns and the weight."""
        return (*self.chosen(schema), *([schema.weight] if schema.weight else []))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Add each record's own draw."""
        return block.with_columns(
            {name: block.numbers(name) + scale * draws.normal(block.ids, name) for name, scale in plan.state.items()}
        )
