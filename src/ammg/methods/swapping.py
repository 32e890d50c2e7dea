"""What methods that swap values by rank share."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.disclosure import Disclosure
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Links, Plan, StratifiedMethod
from ammg.params import param
from ammg.summaries.counts import MissingCounts
from ammg.summaries.summary import Source


class RankSwappingVariant(StratifiedMethod):
    """Base of rank swapping without a window: `p` percent of the records is the typical rank distance."""

    accepts: ClassVar[Kind] = Kind.ORDERED
    links: ClassVar[Links] = Links.MOVED

    p: float = param(5.0, "Typical rank distance, in percent of the records.", gt=0, le=100, search=(1, 20))

    @abstractmethod
    def sources(self, values: NDArray[np.float64], reach: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Positions from which each value comes."""

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Check that p moves something."""
        names = self.chosen(source.schema)
        observed = source.count() - source.fold(MissingCounts(names))
        for name, count in zip(names, observed, strict=True):
            if int(self.p * count // 100) < 1 < count and not self.within:
                raise InputError(f"p = {self.p:g} moves nothing in '{name}', which has {count} values: raise p.")
        return Plan(source.schema.select(names), disclosed=(Disclosure(names),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Swap within the stratum; missing values stay where they are."""
        masked, moves = {}, {}
        for name in plan.schema.names:
            present = np.flatnonzero(~block.is_missing(name))
            sources = np.arange(len(block))
            if (reach := int(self.p * len(present) // 100)) >= 1:
                chosen = self.sources(block.numbers(name)[present], reach, draws.generator(name))
                sources[present] = present[chosen]
            masked[name], moves[name] = block[name][sources], sources
        return Block(block.ids, {**block.columns, **masked}, block.schema, moves)
