"""Data swapping."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.published import Swapped
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Links, Plan, StratifiedMethod
from ammg.methods.pram.combinations import Combinations, observed
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.cells import CellCounts
from ammg.summaries.summary import Source


class DataSwapping(StratifiedMethod):
    """Exchange values between pairs of records that agree on control attributes.

    The columns are exchanged together between a share of the records, chosen at random or by rarity of their `risk`
    attributes. Every table of the columns with the controls (`within`) stays exactly the same; associations with other
    attributes are weakened. The rate and the controls are published: an intruder knows how likely a match is to be
    true, and finds unique records by the attributes that were not exchanged. Source: Dalenius and Reiss (1982).
    """

    accepts: ClassVar[Kind] = Kind.CODED
    links: ClassVar[Links] = Links.MOVED
    joint: ClassVar[bool] = True
    searched: ClassVar[bool] = False

    rate: float = param(0.05, "Share of the records that exchange their values.", gt=0, le=1)
    within: tuple[str, ...] = param((), "Control attributes: partners agree on all of them.")
    risk: tuple[str, ...] = param(
        (), "Attributes whose rare combinations are exchanged first; without any, records are chosen at random."
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """By chance and by risk."""
        return [
            cls(columns=("region", "visits"), within=("zone",), rate=0.5),
            cls(columns=("education",), risk=("region", "age"), rate=0.3),
        ]

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The columns to exchange, which have no default."""
        if self.columns is None:
            raise InputError(f"{self.name} has no columns: name those to exchange, such as the place of residence.")
        names = super().chosen(schema)
        for name in self.within:
            if name in names:
                raise InputError(f"'{name}' cannot be both exchanged and a control: name another column.")
        return names

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The columns and those that make risk."""
        return tuple(dict.fromkeys((*self.chosen(schema), *(schema[name].name for name in self.risk))))

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Marginal distributions hold; associations with attributes that were not controlled are weakened."""
        return Usage(
            "The distribution of each exchanged attribute, also within the control attributes of the step.",
            "The usual estimators for one attribute at a time, and tables with the control attributes.",
            "In tables and models with other attributes, trust only the direction of effects: swapping weakens them.",
            f"print(file.select({listed(columns)}).describe())",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Count the combinations that make risk."""
        names = self.chosen(source.schema)
        state = observed(source.fold(CellCounts(self.risk)), len(self.risk)) if self.risk else None
        told = Swapped(names, self.rate, self.within, risky=bool(self.risk))
        return Plan(source.schema.select(names), state, (told,))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Exchange within the stratum; a fractional pair is rounded at random."""
        from ammg.kernels.swapping.exchange import exchange
        from ammg.kernels.threads import in_threads

        names, rng = plan.schema.names, draws.generator("exchange")
        present = np.flatnonzero(~np.all([block.is_missing(name) for name in names], axis=0))
        wanted = self.rate * len(present) / 2
        pairs = min(int(wanted) + int(rng.random() < wanted - int(wanted)), len(present) // 2)
        first = None if plan.state is None else self._frequencies(block, plan.state)[present]
        sources = np.arange(len(block))
        sources[present] = present[exchange(len(present), pairs, rng, first)]
        own = in_threads(lambda name: _kept_missing(block, name, sources), names, len(block) * len(names))
        moves = dict(zip(names, own, strict=True))
        masked = {name: block[name][places] for name, places in moves.items()}
        return Block(block.ids, {**block.columns, **masked}, block.schema, moves)

    def _frequencies(self, block: Block, cells: Combinations) -> NDArray[np.float64]:
        """How many records of the file share the combination that makes risk."""
        rows = cells.rows(block, self.risk, ())
        return np.append(cells.counts, np.inf)[rows]


def _kept_missing(block: Block, name: str, sources: NDArray[np.int64]) -> NDArray[np.int64]:
    """A value does not go where one is missing, nor a missing one where a value is."""
    missing = block.is_missing(name)
    fits = missing == missing[sources]
    return np.where(fits & fits[sources], sources, np.arange(len(sources)))
