"""Targeted record swapping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind, Level
from ammg.data.block import Block
from ammg.data.finding import Finding
from ammg.data.published import Swapped
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Links, Method, Plan, Sees
from ammg.methods.swapping.homes import Homes, Searching
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.summary import Source

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class SwapCounts(Finding):
    """How many households were risky, how many of them were swapped, and how many in all."""

    households: int
    risky: int
    risky_swapped: int
    swapped: int
    alike: tuple[int, ...]
    """Pairs found by each profile."""

    def merge(self, later: SwapCounts) -> SwapCounts:
        """Counts add."""
        alike = tuple(a + b for a, b in zip(self.alike, later.alike, strict=True))
        sums = (self.households + later.households, self.risky + later.risky)
        return SwapCounts(*sums, self.risky_swapped + later.risky_swapped, self.swapped + later.swapped, alike)

    def notes(self) -> tuple[str, ...]:
        """What happened to the risky households."""
        told = [
            f"{self.swapped:,} of {self.households:,} households were swapped, {self.risky_swapped:,} of the "
            f"{self.risky:,} risky ones among them"
        ]
        if len(self.alike) > 1:
            told.append(f"pairs found by each profile, in order: {', '.join(f'{n:,}' for n in self.alike)}")
        if self.risky_swapped < self.risky:
            told.append(f"{self.risky - self.risky_swapped:,} risky households found no partner: add a wider profile")
        return tuple(told)


class TargetedRecordSwapping(Method):
    """Swap whole households between areas, starting with the risky ones.

    The columns are the geography, coarsest level first. A household is risky at a level if fewer than k people of its
    area share the `keys` of one of its members. Risky households are exchanged with similar ones (by a profile, such as
    size and tenure) of another area inside the same area of the level above; then further households, at random, until
    the rate is reached. Households stay together: members keep everything but the geography and what it `carries`
    along, so households stay consistent. Tables without geography stay the same, and so do tables of the profile by
    geography if partners agreed on it. It is published that risky households came first, and at which rate. An intruder
    can ignore the geography and find people by everything else, which is released unchanged; a match on geography is
    uncertain only by the swapping rate. Source: Shlomo, Tudor and Groom (2010); the recordSwap of sdcMicro (Eurostat's
    census).
    """

    also_called: ClassVar[tuple[str, ...]] = ("RecordSwap",)
    accepts: ClassVar[Kind] = Kind.CODED
    sees: ClassVar[Sees] = Sees.FILE
    links: ClassVar[Links] = Links.MOVED
    joint: ClassVar[bool] = True
    searched: ClassVar[bool] = False

    rate: float = param(0.05, "Share of households to exchange; more are exchanged if more are risky.", gt=0, le=1)
    k: int = param(
        3, "A household is risky if fewer than this many people in its area share the keys of a member.", ge=1
    )
    keys: tuple[str, ...] | None = param(
        None, "Attributes that make a person risky; by default all keys that are not the geography."
    )
    similar: tuple[tuple[str, ...], ...] = param(
        (),
        "Profiles of household attributes on which partners must agree, strictest first; the next one "
        "applies to households without a partner.",
    )
    carries: tuple[str, ...] = param((), "Further household attributes that belong to the location and move with it.")

    @classmethod
    def examples(cls) -> list[Self]:
        """One level, with a fallback for the profile."""
        return [cls(columns=("region",), keys=("education", "age"), k=2, rate=0.2, similar=(("zone",), ()))]

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The geography, which has no default, and what moves with it."""
        if self.columns is None:
            raise InputError(f"{self.name} has no columns: name the geography, coarsest level first.")
        names = super().chosen(schema)
        return tuple(dict.fromkeys((*names, *(schema[name].name for name in self.carries))))

    def acts_on(self, schema: Schema) -> Level:
        """Persons: the method keeps their households together itself."""
        return Level.PERSON

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The geography, what moves with it, keys, profiles and the household."""
        profile = [name for names in self.similar for name in names]
        home = [schema.household] if schema.household else []
        named = (*self.chosen(schema), *self._keys(schema), *profile, *home)
        return tuple(dict.fromkeys(schema[name].name for name in named))

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Everything but the geography holds."""
        return Usage(
            "Everything that does not involve the exchanged geography, and totals of large areas.",
            "The usual estimators; instead of single small areas, use larger areas or averages over several.",
            "Do not draw conclusions about small areas: risky households were moved to others.",
            f"print(file.select({listed(columns)}).describe())",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Say what moves."""
        names = self.chosen(source.schema)
        return Plan(source.schema.select(names), published=(Swapped(names, self.rate, risky=True),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Exchange the geography of households, level by level."""
        geography = tuple(dict.fromkeys(self.columns or ()))
        homes = Homes.of(block, block.schema.household)
        areas = homes.areas(geography)
        profiles = [homes.numbered(names) for names in (self.similar or ((),))]
        rng = draws.generator("households")
        found = Searching(areas, profiles, homes.without(plan.schema.names), rng)
        risky = np.zeros(homes.count, dtype=bool)
        keys = self._keys(block.schema)
        for level in range(len(geography)):
            at_risk = homes.rare(areas[level], keys, self.k)
            risky |= at_risk
            found.exchange(np.flatnonzero(at_risk), level)
        lacking = (self.rate * homes.count - found.swapped.sum()) / 2
        found.exchange(np.arange(homes.count), len(geography) - 1, most=max(int(np.ceil(lacking - 1e-9)), 0))
        moves = homes.moves(found.sources)
        masked = {name: block[name][moves] for name in plan.schema.names}
        alike = tuple(found.pairs)
        swapped = found.swapped
        sums = int(risky.sum()), int((risky & swapped).sum()), int(swapped.sum())
        counts = SwapCounts(homes.count, *sums, alike)
        moved = dict.fromkeys(plan.schema.names, moves)
        return Block(block.ids, {**block.columns, **masked}, block.schema, moved).with_findings(counts)

    def _keys(self, schema: Schema) -> tuple[str, ...]:
        if self.keys is not None:
            return tuple(schema[name].name for name in self.keys)
        moved = self.chosen(schema)
        named = tuple(name for name in schema.keys if name not in moved and schema[name].kind & Kind.CODED)
        if not named:
            raise InputError(f"{self.name} has no keys to find risky households by: name them.")
        return named
