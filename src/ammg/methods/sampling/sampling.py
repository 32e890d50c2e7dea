"""Simple random sampling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind, Level
from ammg.data.block import Block
from ammg.data.published import Sampled
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Method, Plan
from ammg.methods.usage import Usage, quoted
from ammg.params import param
from ammg.summaries.quantiles import select
from ammg.summaries.summary import Source


class SamplingMethod(Method):
    """Base of methods that keep some records and divide their weights by the inclusion probability."""

    accepts: ClassVar[Kind] = Kind.ANY
    takes_columns: ClassVar[bool] = False
    perturbs: ClassVar[bool] = False

    columns: tuple[str, ...] | None = param(None, "Not used: whole records are kept or dropped.")
    fraction: float = param(0.8, "Share of the records to keep.", gt=0, le=1, search=(1.0, 0.5))
    households: bool = param(False, "Draw whole households instead of persons.")

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """Sampling has no columns of its own."""
        if self.columns is not None:
            raise InputError(f"{self.name} keeps or drops whole records: remove `columns`.")
        return ()

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The weight, which is adjusted."""
        return (*self.chosen(schema), *([schema.weight] if schema.weight else []))

    def acts_on(self, schema: Schema) -> Level:
        """Households when they are drawn whole."""
        return Level.HOUSEHOLD if self.households else Level.PERSON

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Scale counts up by the sampling fraction, or use the weights."""
        total = f"file[{quoted(weight)}].sum()" if weight else f"len(file) / {self.fraction:g}"
        return Usage(
            "Means, shares and relations, with the sampling error of a file of this size.",
            "Survey estimators: weight records by the file's weights."
            if weight
            else f"Divide counts and totals by the sampling fraction, {self.fraction:g}.",
            "Do not conclude that a person or a combination is not in the population because it is not in this file.",
            f"print({total})  # size of the file before sampling"
            if not weight
            else f"print({total})  # estimated size of the population",
        )

    def _written(self, schema: Schema) -> Schema:
        return Schema(tuple(schema[name].replace(kind=Kind.CONTINUOUS) for name in self.needs(schema)))

    def _kept(self, block: Block, plan: Plan, kept: NDArray[np.bool_], chance: float) -> Block:
        sample = block.take(kept)
        return sample.with_columns({name: sample.numbers(name) / chance for name in plan.schema.names})


class Sampling(SamplingMethod):
    """Keep a simple random sample of round(f·n) records, without replacement.

    Keeps every value of the records that stay; multiplies a weight by n/r. Lowers the probability that a person is in
    the file at all. Values are released unchanged: an intruder finds a unique record with certainty if the person is
    known to be in the sample, and otherwise with the probability of being drawn. Source: Truta, Fotouhi and Barth-Jones
    (2003), section 3.
    """

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Find the number below which a record's draw keeps it."""
        size = source.count()
        wanted = round(self.fraction * size)
        if size and not wanted:
            raise InputError(f"A fraction of {self.fraction:g} keeps none of the {size} records: raise it.")
        limit = select(source, "", [wanted - 1], values=_Uniforms(draws))[0] if wanted else -1.0
        chance = wanted / size if size else 1.0
        return Plan(self._written(source.schema), (float(limit), chance), (Sampled((), chance),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Keep the records whose draws are the smallest."""
        limit, chance = plan.state
        return self._kept(block, plan, draws.uniform(block.ids, "sample") <= limit, chance)


class _Uniforms:
    """The draw of each record, as values that a summary can count."""

    def __init__(self, draws: Draws) -> None:
        self.draws = draws

    def __call__(self, block: Block) -> NDArray[np.float64]:
        return self.draws.uniform(block.ids, "sample")
