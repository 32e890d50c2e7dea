"""Rank swapping."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.disclosure import RankWindow
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Links, Plan, StratifiedMethod
from ammg.params import param
from ammg.summaries.counts import MissingCounts
from ammg.summaries.summary import Source


class RankSwapping(StratifiedMethod):
    """Swap each value with one whose rank is near.

    Keeps every column's values (means, variances, quantiles) exactly; weakens correlations. Each column is swapped by
    itself. Whoever knows p can narrow every record down to a window of ranks.
    Source: Moore (1996); Yancey, Winkler and Creecy (2002), section 2.2.
    """

    accepts: ClassVar[Kind] = Kind.ORDERED
    links: ClassVar[Links] = Links.MOVED

    p: float = param(5.0, "Greatest rank distance, in percent of the records.", gt=0, le=100, search=(1, 20))

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Find each column's window."""
        names = self.chosen(source.schema)
        observed = source.count() - source.fold(MissingCounts(names))
        reach = tuple(int(self.p * count // 100) for count in observed)
        for name, window, count in zip(names, reach, observed, strict=True):
            if window < 1 and count > 1 and not self.within:
                raise InputError(f"p = {self.p:g} moves nothing in '{name}', which has {count} values: raise p.")
        return Plan(source.schema.select(names), disclosed=(RankWindow(names, reach),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Swap within the stratum; missing values stay where they are."""
        from ammg.kernels.rank_swap import swap_sources

        masked, moves = {}, {}
        for name in plan.schema.names:
            present = np.flatnonzero(~block.is_missing(name))
            sources = np.arange(len(block))
            if (reach := int(self.p * len(present) // 100)) >= 1:
                chosen = swap_sources(block.numbers(name)[present], reach, draws.generator(name))
                sources[present] = present[chosen]
            masked[name], moves[name] = block[name][sources], sources
        return Block(block.ids, {**block.columns, **masked}, block.schema, moves)
