"""Shared base of methods that add artificial records to a file."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Attribute, Kind, Level, Role
from ammg.data.block import Block, Column
from ammg.data.published import Simulated
from ammg.data.rules.rule import Rule
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Links, Method, Plan, Sees
from ammg.methods.synthesis.attempts import Attempts, Origins
from ammg.methods.synthesis.units import Units
from ammg.methods.usage import Usage, quoted
from ammg.params import param
from ammg.summaries.summary import Source

Ints = NDArray[np.int64]


class Model(Protocol):
    """Draws artificial records: for each cell the position of the real record whose value it takes."""

    def draw(self, templates: Ints, homes: Ints, rng: np.random.Generator) -> Mapping[str, Ints]:
        """Values for records like `templates` (same place in a household of the same size); `homes` says which.

        `homes` numbers the household of each record from 0; the columns of a household are drawn once for all members.
        """


class Wanted(NamedTuple):
    """What `mask` needs to know beside the records."""

    records: int
    first_id: int
    rules: tuple[Rule, ...]


class SimulationMethod(Method):
    """Base of methods that add artificial records; they differ in the model of the attributes."""

    accepts: ClassVar[Kind] = Kind.ANY
    sees: ClassVar[Sees] = Sees.FILE
    links: ClassVar[Links] = Links.MOVED
    takes_columns: ClassVar[bool] = False
    joint: ClassVar[bool] = True
    searched: ClassVar[bool] = False
    model: ClassVar[str]
    """The model of the records, in a word."""

    columns: tuple[str, ...] | None = param(None, "Not used: whole records are added.")
    share: float = param(
        0.05, "Share of artificial records in the file afterwards (AMMG's simulated factor fs).", gt=0, le=0.9
    )
    distinct: bool = param(
        False, "Leave out artificial records that equal a real one in all attributes but weight and household."
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """With and without copies of real records."""
        return [cls(), cls(share=0.3, distinct=True)]

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """Simulation has no columns of its own."""
        if self.columns is not None:
            raise InputError(f"{self.name} adds whole records: remove `columns`.")
        return ()

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """All attributes but identifiers and text that is linked to another attribute."""
        self.chosen(schema)
        names = [a.name for a in schema if a.role is not Role.IDENTIFIER and not _follows_identifier(schema, a)]
        for name in names:
            attribute = schema[name]
            if attribute.kind & Kind.TEXT and attribute.linked_to is None:
                raise InputError(
                    f"Column '{name}' is free text, which cannot be simulated and would reveal which records are "
                    "artificial: drop it first, make it nominal, or give it the role identifier."
                )
        return tuple(name for name in names if not schema[name].kind & Kind.TEXT)

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Artificial records stand among the real ones."""
        counted = f"file[{quoted(weight)}].sum()" if weight else "len(file)"
        return Usage(
            "The distribution of each attribute by itself; relations only as far as the simulation model keeps them.",
            "The usual estimators, with the weights if the file has them; artificial records are not marked.",
            "Do not count records as people, and do not take a rare record for a person: it may be artificial.",
            f"print({counted})",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Count, and find the attributes afterwards."""
        if pseudonyms := [a.name for a in source.schema if a.pseudonymous]:
            raise InputError(
                f"'{pseudonyms[0]}' holds pseudonyms, which artificial records do not have: simulate first, "
                "and drop the pseudonyms."
            )
        size, names = source.count(), self.needs(source.schema)
        wanted = round(self.share / (1 - self.share) * size)
        if size and not wanted:
            raise InputError(f"A share of {self.share:g} adds no record to {size:,}: raise it.")
        rules = tuple(rule for rule in source.schema.rules if set(rule.columns) <= set(names))
        schema = source.schema.select(names)
        if (weight := schema.weight) is not None:
            schema = schema.replace(schema[weight].replace(kind=Kind.CONTINUOUS))
        if (household := schema.household) is not None:
            schema = schema.replace(_with_room(schema[household], wanted))
        state = Wanted(wanted, source.next_id, rules)
        return Plan(schema, state, (Simulated((), self.share, self.model),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Draw artificial households, or persons, and put them behind the real ones."""
        wanted: Wanted = plan.state
        if not wanted.records or not len(block):
            return block
        rng = draws.generator("records")
        schema = plan.schema
        units = Units.of(block, schema.household)
        origins = Origins(block, schema, wanted.rules, units)
        model = self.fitted(block, units, _shared(block, schema, units), origins.computed)
        homes = _drawn_homes(units, origins.usable, wanted.records, rng)
        made = Attempts(origins, model, homes, self.distinct).run(rng)
        return _joined(block, schema, made.columns, made.positions, made.homes, wanted).with_findings(made.found)

    @abstractmethod
    def fitted(self, block: Block, units: Units, shared: Mapping[str, bool], computed: Collection[str]) -> Model:
        """The model of the real records; `shared` has the columns, and whether all members share their values.

        Rules make the `computed` columns, whatever the model draws for them.
        """


def _follows_identifier(schema: Schema, attribute: Attribute) -> bool:
    leader = None if attribute.linked_to is None else schema.get(attribute.linked_to)
    return leader is not None and leader.role is Role.IDENTIFIER


def _with_room(household: Attribute, more: int) -> Attribute:
    """A household identifier with categories for so many new households; a number needs none."""
    if not household.is_categorical:
        return household
    known = household.categories or ()
    if not all(isinstance(category, str) for category in known):
        raise InputError(f"Household '{household.name}' is neither text nor a number: convert it first.")
    stem = "artificial "
    while any(category.startswith(stem) for category in known):
        stem = f"{stem}+ "
    return household.replace(categories=(*known, *(f"{stem}{number}" for number in range(more))))


def _shared(block: Block, schema: Schema, units: Units) -> dict[str, bool]:
    """The columns to be drawn, and which of them describe the household; those that follow others are not drawn."""
    names = [a.name for a in schema if a.role is not Role.HOUSEHOLD and (a.linked_to not in schema)]
    weight = schema.weight
    return {
        name: schema[name].level is Level.HOUSEHOLD or (name == weight and units.is_shared(block, name))
        for name in names
    }


def _drawn_homes(units: Units, usable: Ints, records: int, rng: np.random.Generator) -> Ints:
    """Real households that serve as templates, with a total number of members as close to the target as possible."""
    drawn = rng.choice(usable, size=records)
    members = np.cumsum(units.sizes[drawn])
    count = int(np.searchsorted(members, records)) + 1
    if count > 1 and records - members[count - 2] <= members[count - 1] - records:
        count -= 1
    return np.asarray(drawn[:count])


def _joined(
    block: Block,
    schema: Schema,
    made: Mapping[str, Column],
    positions: Mapping[str, Ints],
    homes: Ints,
    wanted: Wanted,
) -> Block:
    """The real records and the artificial ones behind them; weights shrink so that their total stays."""
    from ammg.kernels.threads import in_threads

    size = len(block)
    ids = np.concatenate([block.ids, wanted.first_id + np.arange(len(homes))])

    def joined(attribute: Attribute) -> Column:
        is_household = attribute.role is Role.HOUSEHOLD
        new = _new_homes(block, attribute, homes) if is_household else made[attribute.name]
        return np.concatenate([block[attribute.name], new])

    columns = dict(zip(schema.names, in_threads(joined, schema, len(ids) * len(schema.names)), strict=True))
    if (weight := schema.weight) is not None:
        columns[weight] = _rescaled(columns[weight].astype(np.float64), float(columns[weight][:size].sum()))
    names, kept = [name for name in positions if name != weight], np.arange(size)
    moves = in_threads(lambda name: np.concatenate([kept, positions[name]]), names, len(ids) * len(names))
    return Block(ids, columns, schema, dict(zip(names, moves, strict=True)))


def _rescaled(weights: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """Weights rescaled to another total; weights of at least 1 stay at least 1 if possible."""
    own = float(weights.min(initial=1.0)) >= 1 and total > len(weights)
    least = 1.0 if own else 0.0
    above = float((weights - least).sum())
    return least + (weights - least) * ((total - least * len(weights)) / above) if above > 0 else weights


def _new_homes(block: Block, attribute: Attribute, homes: Ints) -> Column:
    if attribute.is_categorical:
        known = max(int(block[attribute.name].max(initial=-1)) + 1, len(block.schema[attribute.name].categories or ()))
        return (known + homes).astype(np.int32)
    values = block.numbers(attribute.name)
    last = np.nanmax(values) if not np.isnan(values).all() else -1.0
    return np.asarray(np.floor(last) + 1.0 + homes)
