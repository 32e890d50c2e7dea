"""Resampling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block, Column
from ammg.data.published import RankWindow
from ammg.draws import Draws
from ammg.methods.method import Plan, StratifiedMethod
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.summary import Source


class Resampling(StratifiedMethod):
    """Replace each number by the average of the values with its rank in samples drawn from the column.

    Changes values little and ranks not at all, so it protects weakly: an intruder re-identifies 99.6 percent of CENSUS
    by taking the nearest record. Keeps the range of the column, and with one sample every masked value is a value of
    the file. Means and variances are kept in expectation with one sample; more samples shrink the tails. Source:
    Mateo-Sanz, Sebé and Domingo-Ferrer (2004), section 3.1.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC

    samples: int = param(1, "Number of samples whose values are averaged.", ge=1, le=100, search=(3, 1))

    @classmethod
    def examples(cls) -> list[Self]:
        """One sample and several."""
        return [cls(), cls(samples=3)]

    @property
    def fewest(self) -> int:
        """A sample of one value is that value."""
        return 2

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Ranks hold, tails shrink a little."""
        return Usage(
            "Ranks, and with one sample means and variances of each masked number in expectation.",
            "Rank statistics; means and quantiles away from the tails.",
            "Do not use extremes.",
            f"print(file.select({listed(columns)}).median())",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Averages of whole numbers are fractions."""
        names = self.chosen(source.schema)
        schema = source.schema.select(names)
        if self.samples > 1:
            schema = schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))
        return Plan(schema, published=(RankWindow(names, (0,) * len(names), self.within),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Resample the observed values of each column within the stratum."""
        from ammg.kernels.ranks.resampling import resample_ranks, resample_sources
        from ammg.kernels.threads import in_threads

        def resampled(name: str) -> tuple[Column, NDArray[np.int64]]:
            values, rng = block.numbers(name).copy(), draws.generator(name)
            seen, sources = np.flatnonzero(~np.isnan(values)), np.arange(len(block))
            if self.samples == 1:
                sources[seen] = seen[resample_sources(values[seen], rng)]
                return values[sources], sources
            values[seen] = resample_ranks(values[seen], self.samples, rng)
            return values, sources

        names = plan.schema.names
        columns = dict(zip(names, in_threads(resampled, names, len(block) * len(names)), strict=True))
        masked = {name: values for name, (values, _) in columns.items()}
        moves = {name: sources for name, (_, sources) in columns.items()} if self.samples == 1 else {}
        return Block(block.ids, {**block.columns, **masked}, block.schema, moves)
