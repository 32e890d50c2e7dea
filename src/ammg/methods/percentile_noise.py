"""Noise inside percentile groups."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.disclosure import NoiseLaw
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.finite import refuse_unmeasurable
from ammg.methods.method import Plan, StratifiedMethod
from ammg.methods.strata import rows_of_strata
from ammg.params import param
from ammg.summaries.summary import Source

Numbers = NDArray[np.float64]


class PercentileNoise(StratifiedMethod):
    """Perturb each number within its percentile group and keep every group's mean and variance.

    z' = μ + √(1-δ²)·(z - μ) + δ·e, with e of the group's variance: the noise is correlated with the value so that the
    variance does not grow. Keeps the overall mean and variance, the variance between groups and, nearly, the
    distribution; covariances with other columns shrink within groups. Groups with one value stay as they are.
    Source: Shlomo's overview of disclosure control methods; the mean of the noise as its expectation line has it.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC

    delta: float = param(0.5, "Share of noise in the variance is the square of this.", gt=0, le=1, search=(0.1, 1))
    groups: int = param(20, "Number of percentile groups.", ge=1, search=(50, 5))
    least: int = param(10, "Neighbouring groups merge until each has this many records.", ge=3)
    exact: bool = param(
        True,
        "Keep group means and variances exactly instead of in expectation, where at least three records of a group "
        "have a positive weight.",
    )
    ties: Literal["together", "random"] = param(
        "together", "Whether equal values share a group or are split at random."
    )
    zeros: Literal["mask", "keep"] = param("mask", "Whether zeros are grouped with other values or stay zero.")

    @classmethod
    def examples(cls) -> list[Self]:
        """As it is, and within strata with zeros that stay."""
        return [cls(), cls(within=("zone",), zeros="keep", ties="random")]

    @property
    def fewest(self) -> int:
        """What one group must have."""
        return self.least

    def to_mask(self, block: Block, name: str) -> NDArray[np.bool_]:
        """The observed values, without zeros that stay."""
        values = block.numbers(name)
        return ~np.isnan(values) & ((values != 0) if self.zeros == "keep" else True)

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The masked columns and the weight."""
        return (*self.chosen(schema), *([schema.weight] if schema.weight else []))

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Say how many groups had to be merged, and how large the noise is on average."""
        names = self.chosen(source.schema)
        refuse_unmeasurable(source, names)
        schema = source.schema.select(names)
        schema = schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))
        block = source.block(tuple(dict.fromkeys((*names, *self.within))))
        strata = rows_of_strata(block, self.within)
        change, notes = np.zeros(len(names)), []
        for position, name in enumerate(names):
            values = block.numbers(name)
            if not self.within and 0 < (count := np.count_nonzero(self.to_mask(block, name))) < self.least:
                raise InputError(
                    f"'{name}' has {count} value{'' if count == 1 else 's'} to mask, fewer than the {self.least} that "
                    "a percentile group must have: lower `least`, or leave the column out."
                )
            parts = [part[~np.isnan(part)] for part in (values[rows] for rows in strata)]
            squares, merged = self._within_groups([part for part in parts if len(part)], name, draws)
            change[position] = 2 * (1 - np.sqrt(1 - self.delta**2)) * squares / max(sum(map(len, parts)), 1)
            if merged:
                notes.append(
                    f"'{name}': {merged} percentile groups had fewer than {self.least} records and were merged"
                    + (f", in {len(strata)} strata" if self.within else "")
                )
        return Plan(schema, disclosed=(NoiseLaw(names, np.diag(change), self.delta**2),), notes=tuple(notes))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Perturb the observed values of each column, one stratum at a time."""
        from ammg.kernels.percentile_noise import perturb_in_groups

        weight = block.schema.weight
        masked = {}
        for name in plan.schema.names:
            values = block.numbers(name).copy()
            seen = np.flatnonzero(~np.isnan(values))
            if len(seen):
                labels, _ = self._groups(values[seen], draws.generator(f"ties of {name}"))
                weights = block.numbers(weight)[seen] if weight else None
                variates = draws.generator(f"noise of {name}").standard_normal(len(block))[seen]
                values[seen] = perturb_in_groups(values[seen], labels, self.delta, variates, self.exact, weights)
            masked[name] = values
        return block.with_columns(masked)

    def _within_groups(self, parts: list[Numbers], name: str, draws: Draws) -> tuple[float, int]:
        """The sum of squares within the groups of all strata, and how many groups were merged."""
        squares, merged, rng = 0.0, 0, draws.generator(f"ties of {name}")
        for values in parts:
            labels, given_up = self._groups(values, rng)
            means = np.bincount(labels, values) / np.bincount(labels)
            squares += float(np.square(values - means[labels]).sum())
            merged += given_up
        return squares, merged

    def _masked(self, values: Numbers) -> int:
        return len(values) if self.zeros == "mask" else int(np.count_nonzero(values))

    def _groups(self, values: Numbers, rng: np.random.Generator) -> tuple[NDArray[np.intp], int]:
        from ammg.kernels.percentile_noise import percentile_groups

        ties = rng.random(len(values)) if self.ties == "random" else None
        least = max(min(self.least, self._masked(values)), 1)
        return percentile_groups(values, self.groups, least, ties, own_zeros=self.zeros == "keep")
