"""Artificial records that satisfy the edit rules: redrawn until they do, with donors as a last resort."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block, Column
from ammg.data.finding import Finding
from ammg.data.rules.household_sum import HouseholdSum
from ammg.data.rules.linear import LinearRule
from ammg.data.rules.rule import Rule
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.methods.synthesis.units import Units

if TYPE_CHECKING:
    from ammg.methods.synthesis.simulation import Model

Ints = NDArray[np.int64]
Booleans = NDArray[np.bool_]

TRIES = 20
"""Draws of an artificial record before a donor is used."""


@dataclass(frozen=True)
class Added(Finding):
    """Results of the simulation."""

    records: int
    donors: int
    left_out: int

    def merge(self, later: Added) -> Added:
        """Those of two parts together."""
        return Added(self.records + later.records, self.donors + later.donors, self.left_out + later.left_out)

    def notes(self) -> tuple[str, ...]:
        """How many, and how many of them not as the model has it."""
        notes = [f"{self.records:,} artificial records were added"]
        if self.donors:
            notes.append(
                f"{self.donors:,} of them still broke a rule after 20 draws and took the values in the rules "
                "from a donor"
            )
        if self.left_out:
            notes.append(
                f"{self.left_out:,} artificial records still equalled real ones after 20 draws and were left out"
            )
        return tuple(notes)


class Made(NamedTuple):
    """Artificial records, those of a household one after the other."""

    columns: Mapping[str, Column]
    positions: Mapping[str, Ints]
    """The real records from which columns that are not computed took their values."""
    homes: Ints
    found: Added


@dataclass(frozen=True, eq=False)
class Origins:
    """The real records, and the rules that artificial ones must obey as well."""

    block: Block
    schema: Schema
    rules: tuple[Rule, ...]
    units: Units

    @cached_property
    def usable(self) -> Ints:
        """The households, or persons, in which every rule holds: an artificial one is made after each of them.

        Raises:
            InputError: there are none.
        """
        broken = np.zeros(len(self.block), dtype=bool)
        for rule in self.rules:
            broken |= rule.check(self.block)
        found = self.units.met(broken)
        if not len(found):
            raise InputError("No record satisfies all rules, so none can be simulated: correct the rules.")
        return found

    @cached_property
    def computed(self) -> dict[str, LinearRule | HouseholdSum]:
        """The totals that rules compute from their parts, so that no chance is needed to meet those rules."""
        found: dict[str, LinearRule | HouseholdSum] = {}
        leaders = {attribute.linked_to for attribute in self.schema}
        for rule in self.rules:
            sums = isinstance(rule, HouseholdSum) or (isinstance(rule, LinearRule) and rule.is_identity)
            if not sums or not all(self.schema[name].is_numeric for name in rule.numeric):
                continue
            assert isinstance(rule, HouseholdSum | LinearRule)
            if rule.total not in leaders and rule.total not in found:
                found[rule.total] = rule
        return found

    @cached_property
    def ruled(self) -> tuple[str, ...]:
        """The columns that rules name, without the household."""
        names = dict.fromkeys(name for rule in self.rules for name in rule.columns)
        return tuple(name for name in names if name != self.schema.household)

    def values(self, positions: Mapping[str, Ints], homes: Ints, copied: Booleans) -> dict[str, Column]:
        """The columns of artificial records; totals are computed but for records that were copied from donors."""
        columns: dict[str, Column] = {name: self.block[name][places] for name, places in positions.items()}
        for _ in self.computed:  # a total may be part of another
            for total, rule in self.computed.items():
                sums = self._total(total, rule, columns, homes)
                columns[total] = np.where(copied, self.block[total][positions[total]], sums)
        return columns

    def broken(self, columns: Mapping[str, Column], homes: Ints) -> Booleans:
        """Which artificial records break a rule."""
        if not self.rules:
            return np.zeros(len(homes), dtype=bool)
        named = dict(columns)
        schema = self.block.schema
        if (household := self.schema.household) is not None:
            named[household] = homes.astype(np.float64)
            schema = schema.replace(schema[household].replace(kind=Kind.INTEGER, categories=None))
        made = Block(np.arange(len(homes)), named, schema)
        found = np.zeros(len(homes), dtype=bool)
        for rule in self.rules:
            found |= rule.check(made)
        return found

    def copies(self, columns: Mapping[str, Column]) -> Booleans:
        """Which artificial records equal a real one in everything but weight and household."""
        names = [name for name in columns if name not in (self.schema.weight, self.schema.household)]
        return np.isin(_keys(columns, names), self._real_keys)

    @cached_property
    def _real_keys(self) -> NDArray[np.void]:
        names = [n for n in self.schema.names if n not in (self.schema.weight, self.schema.household)]
        return np.unique(_keys(self.block.columns, names))

    def _total(
        self, total: str, rule: LinearRule | HouseholdSum, columns: Mapping[str, Column], homes: Ints
    ) -> NDArray[np.float64]:
        if isinstance(rule, HouseholdSum):
            parts = np.nan_to_num(columns[rule.part]).astype(np.float64)
            sums = np.asarray(np.bincount(homes, parts)[homes], dtype=np.float64)
        else:
            others = [factor * columns[name] for name, factor in rule.coefficients.items() if name != total]
            sums = (rule.constant - np.sum(others, axis=0)) / rule.coefficients[total]
        return np.round(sums) if self.schema[total].kind is Kind.INTEGER else sums


class Attempts:
    """Draws of artificial households until all of them are as they should be."""

    def __init__(self, origins: Origins, model: Model, templates: Ints, distinct: bool) -> None:
        """`templates` are the real households whose size and members the artificial ones have."""
        self.origins, self.model, self.distinct = origins, model, distinct
        self.templates, self.homes = origins.units.members(templates)

    def run(self, rng: np.random.Generator) -> Made:
        """Draw, check, draw again; then donors, and those that equal real ones leave."""
        count = int(self.homes[-1]) + 1
        positions = {name: np.empty(len(self.homes), dtype=np.int64) for name in self._names}
        failing, broken = np.arange(count), np.zeros(count, dtype=bool)
        for _ in range(TRIES):
            rows, homes = self._rows(failing, count)
            self._draw(positions, rows, homes, rng)
            wrong, copied = self._judged(positions, rows, homes)
            broken[failing] = wrong
            failing = failing[wrong | copied]
            if not len(failing):
                break
        donors = broken[self.homes]
        for name in self.origins.ruled:
            for follower in (name, *self._followers(name)):
                positions[follower][donors] = self.templates[donors]
        columns = self.origins.values(positions, self.homes, donors)
        out = self._left_out(columns, failing, count)
        kept = ~out[self.homes]
        found = Added(int(kept.sum()), int(np.count_nonzero(donors & kept)), int(np.count_nonzero(~kept)))
        homes = np.unique(self.homes[kept], return_inverse=True)[1].astype(np.int64)
        moved = {n: places[kept] for n, places in positions.items() if n not in self.origins.computed}
        return Made({name: values[kept] for name, values in columns.items()}, moved, homes, found)

    @property
    def _names(self) -> Sequence[str]:
        return [name for name in self.origins.schema.names if name != self.origins.schema.household]

    def _rows(self, homes: Ints, count: int) -> tuple[Ints, Ints]:
        """The records of some households, with their number in the list."""
        number = np.full(count, -1, dtype=np.int64)
        number[homes] = np.arange(len(homes))
        rows = np.flatnonzero(number[self.homes] >= 0)
        return rows, number[self.homes[rows]]

    def _draw(self, positions: dict[str, Ints], rows: Ints, homes: Ints, rng: np.random.Generator) -> None:
        drawn = self.model.draw(self.templates[rows], homes, rng)
        for name, places in drawn.items():
            for follower in (name, *self._followers(name)):
                positions[follower][rows] = places

    def _followers(self, leader: str) -> list[str]:
        return [a.name for a in self.origins.schema if a.linked_to == leader]

    def _judged(self, positions: Mapping[str, Ints], rows: Ints, homes: Ints) -> tuple[Booleans, Booleans]:
        """Which households have a member that breaks a rule, or that equals a real record."""
        count = int(homes[-1]) + 1
        nobody = np.zeros(len(rows), dtype=bool)
        columns = self.origins.values({n: places[rows] for n, places in positions.items()}, homes, nobody)
        broken = self.origins.broken(columns, homes)
        copied = self.origins.copies(columns) if self.distinct else nobody
        return np.bincount(homes, broken, minlength=count) > 0, np.bincount(homes, copied, minlength=count) > 0

    def _left_out(self, columns: Mapping[str, Column], failing: Ints, count: int) -> Booleans:
        """The households to leave out: a member still equals a real record."""
        out = np.zeros(count, dtype=bool)
        if self.distinct and len(failing):
            rows, _ = self._rows(failing, count)
            out[self.homes[rows[self.origins.copies({name: values[rows] for name, values in columns.items()})]]] = True
        return out


def _keys(columns: Mapping[str, Column], names: Sequence[str]) -> NDArray[np.void]:
    """Records as bytes that are equal where all values are; missing values equal each other."""
    rows = np.empty((len(columns[names[0]]) if names else 0, len(names)))
    for place, name in enumerate(names):
        values = columns[name].astype(np.float64)
        rows[:, place] = np.where(np.isnan(values), np.inf, values + 0.0)
    return rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
