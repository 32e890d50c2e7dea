"""Shared base of methods that swap values by rank."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block, Column
from ammg.data.published import Published
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Links, Plan, StratifiedMethod
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.counts import MissingCounts
from ammg.summaries.summary import Source

Positions = NDArray[np.int64]


class SwapsRanks(StratifiedMethod):
    """Base of methods that swap each value of a column with one whose rank is near."""

    accepts: ClassVar[Kind] = Kind.ORDERED
    links: ClassVar[Links] = Links.MOVED

    p: float = param(5.0, "Typical rank distance, in percent of the records.", gt=0, le=100, search=(1, 20))
    top: float = param(
        0.0,
        "Share of the highest values of a column, such as 0.01, that are replaced by their mean first. "
        "Columns of whole numbers get fractions.",
        ge=0,
        le=0.5,
    )
    bottom: float = param(0.0, "The same for the lowest values.", ge=0, le=0.5)

    @property
    def fewest(self) -> int:
        """A value alone in its stratum has nothing to swap with."""
        return 2

    @abstractmethod
    def sources(self, values: NDArray[np.float64], reach: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Positions from which each value comes."""

    def reach(self, count: int) -> int:
        """Whole ranks in p percent of so many values."""
        return math.floor(ranks_in(self.p, count))

    def _reach(self, count: int) -> int:
        """The reach, but within strata at least the next rank, so that small strata are masked as well."""
        return max(self.reach(count), 1) if self.within else self.reach(count)

    def published(self, names: tuple[str, ...], reach: tuple[int, ...]) -> Published:
        """What a description of the step would tell."""
        return Published(names)

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Marginal distributions hold; relations between columns are weakened."""
        margins = "nearly" if self.top or self.bottom else "exactly"
        return Usage(
            f"The distribution of each masked column by itself is {margins} that of the original file: "
            "means, quantiles and totals.",
            "The usual estimators for one column at a time.",
            "Trust only the sign and rough size of correlations and regressions: swapping weakens them, "
            "most in small groups.",
            f"print(file.select({listed(columns)}).describe())",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Find each column's reach, and check that it moves something."""
        names = self.chosen(source.schema)
        observed = source.count() - source.fold(MissingCounts(names))
        reach = tuple(self._reach(count) for count in observed)
        for name, window, count in zip(names, reach, observed, strict=True):
            if window < 1 and count > 1:
                raise InputError(f"p = {self.p:g} changes nothing in '{name}', which has {count} values: raise p.")
            self._refuse_tails(source.schema, name, count)
        schema = source.schema.select(names)
        if self._averages:
            schema = schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))
        return Plan(schema, published=(self.published(names, reach),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Swap within the stratum; missing values stay where they are."""
        from ammg.kernels.ranks.rank_swap import average_tails
        from ammg.kernels.threads import in_threads

        def swapped(name: str) -> tuple[Column, Positions]:
            present = np.flatnonzero(~block.is_missing(name))
            sources = np.arange(len(block))
            if len(present) > 1 and (reach := self._reach(len(present))) >= 1:
                chosen = self.sources(block.numbers(name)[present], reach, draws.generator(name))
                sources[present] = present[chosen]
            if not self._averages:
                return block[name][sources], sources
            # Ranks are those before averaging, so that the published window holds inside the tails as well.
            averaged = block.numbers(name).copy()
            averaged[present] = average_tails(averaged[present], *self._tails(len(present)))
            return averaged[sources], sources

        names = plan.schema.names
        columns = dict(zip(names, in_threads(swapped, names, len(block) * len(names)), strict=True))
        masked = {name: values for name, (values, _) in columns.items()}
        moves = {} if self._averages else {name: sources for name, (_, sources) in columns.items()}
        return Block(block.ids, {**block.columns, **masked}, block.schema, moves)

    @property
    def _averages(self) -> bool:
        return self.top > 0 or self.bottom > 0

    def _tails(self, count: int) -> tuple[int, int]:
        """How many values the upper and the lower tail have at most."""
        return math.floor(ranks_in(100 * self.top, count)), math.floor(ranks_in(100 * self.bottom, count))

    def _refuse_tails(self, schema: Schema, name: str, count: int) -> None:
        """Stop if tails have no mean, if the mean hides nothing, or if a linked attribute would reveal it."""
        if not self._averages:
            return
        if not schema[name].kind & Kind.NUMERIC:
            raise InputError(
                f"Column '{name}' is {schema[name].kind.label}, so its tails have no mean: drop `top` and "
                "`bottom`, or swap it in a step of its own."
            )
        for end, share, size in zip(("top", "bottom"), (self.top, self.bottom), self._tails(count), strict=True):
            if share and size < 2 <= count:
                raise InputError(
                    f"{end} = {share:g} is fewer than two of the {count} values of '{name}', so the mean would "
                    f"hide nothing: raise {end}, or leave it out."
                )
        for attribute in schema:
            if attribute.linked_to == name and attribute.name not in self.chosen(schema):
                raise InputError(
                    f"'{attribute.name}' is linked to '{name}', whose tails become means; this cannot be carried "
                    "over to it: mask it in the same step, or drop it."
                )


class SwapsBelowP(SwapsRanks):
    """Base of methods in which no rank moves by p percent of the records or more."""

    @classmethod
    def examples(cls) -> list[Self]:
        """The defaults, and tails replaced by their mean within strata."""
        return [cls(), cls(columns=("income", "visits"), within=("zone",), top=0.1, bottom=0.05)]

    def reach(self, count: int) -> int:
        """The greatest whole rank distance below p percent."""
        below = math.ceil(ranks_in(self.p, count)) - 1
        return max(below, min(super().reach(count), 1))


def ranks_in(p: float, count: int) -> float:
    """p percent of a number of ranks; 14.1 % of 1000 is 141, not less by a rounding error."""
    ranks = p * count / 100
    whole = round(ranks)
    return whole if math.isclose(ranks, whole, rel_tol=1e-12) else ranks
