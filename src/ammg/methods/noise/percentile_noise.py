"""Noise inside percentile groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ammg.data.alteration import Alteration
from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.finding import Finding
from ammg.data.published import NoiseLaw
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.finite import refuse_unmeasurable
from ammg.methods.method import Plan, StratifiedMethod
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.counts import NonzeroCounts
from ammg.summaries.summary import Source

Numbers = NDArray[np.float64]


class PercentileNoise(StratifiedMethod):
    """Perturb each number within its percentile group and keep every group's mean and variance.

    z' = μ + √(1-δ²)·(z - μ) + δ·e, with e of the group's variance: the noise is correlated with the value so that the
    variance does not grow. Keeps the overall mean and variance, the variance between groups and, nearly, the
    distribution; covariances with other columns shrink within groups. Groups with a single value stay unchanged. An
    intruder who repeats the method learns the variance of each group. With 5 groups and δ = 1, which keeps only the
    group of a value, 96 percent of CENSUS are re-identified. Source: Shlomo's overview of disclosure control methods;
    the mean of the noise as its expectation line has it.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC
    finds: ClassVar[bool] = True

    delta: float = param(
        0.5, "Strength of the noise: its share in the variance is the square of this.", gt=0, le=1, search=(0.1, 1)
    )
    groups: int = param(20, "Number of percentile groups.", ge=1, search=(50, 5))
    least: int = param(10, "Neighbouring groups are merged until each has this many records.", ge=3)
    exact: bool = param(
        True,
        "Keep group means and variances exactly instead of in expectation, in groups with at least "
        "three records of positive weight.",
    )
    ties: Literal["together", "random"] = param(
        "together", "Whether equal values share a group or are split at random."
    )
    zeros: Literal["mask", "keep"] = param("mask", "Whether zeros are grouped with other values or stay zero.")

    @classmethod
    def examples(cls) -> list[Self]:
        """The defaults, and within strata with zeros kept."""
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

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Means, variances and wide quantiles hold; values inside a percentile group do not."""
        code = f"print(file.select({listed(columns)}).describe())"
        return Usage(
            f"Means, variances and the distribution in {self.groups} percentile groups"
            + (", kept exactly." if self.exact else ", kept in expectation."),
            "The usual estimators for means, variances and quantiles of each masked number.",
            "Do not compare single values within a percentile group. Correlations with columns that were "
            "not masked in the same step are too small.",
            code,
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Check that there are enough values for a group; groups are those of a stratum."""
        names = self.chosen(source.schema)
        refuse_unmeasurable(source, names)
        schema = source.schema.select(names)
        schema = schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))
        observed, nonzero = source.fold(NonzeroCounts(names))
        for name, values in zip(names, nonzero if self.zeros == "keep" else observed, strict=True):
            if not self.within and 0 < (count := int(values)) < self.least:
                raise InputError(
                    f"'{name}' has {count} value{('' if count == 1 else 's')} to mask, fewer than the {self.least} "
                    "required in a percentile group: lower `least`, or leave the column out."
                )
        return Plan(schema)

    def alters(self, plan: Plan) -> Alteration | None:
        """Every value but zeros that stay."""
        return Alteration(tuple(plan.schema.names), zeros_stay=self.zeros == "keep")

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Perturb the observed values of each column, and report on the groups of the stratum."""
        from ammg.kernels.noise.percentile_noise import perturb_in_groups
        from ammg.kernels.threads import in_threads

        weights = block.numbers(block.schema.weight) if block.schema.weight else None

        def perturbed(name: str) -> tuple[Numbers, float, int, int]:
            """The masked values, the sum of squares within groups, how many values there are, and groups merged."""
            values = block.numbers(name).copy()
            seen = np.flatnonzero(~np.isnan(values))
            if not len(seen):
                return values, 0.0, 0, 0
            original, own = values[seen], None if weights is None else weights[seen]
            labels, merged = self._groups(original, draws.generator(f"ties of {name}"))
            variates = draws.generator(f"noise of {name}").standard_normal(len(block))[seen]
            values[seen] = perturb_in_groups(original, labels, self.delta, variates, self.exact, own)
            return values, _within_groups(original, labels), len(seen), merged

        names = tuple(plan.schema.names)
        columns, squares, observed, merged = zip(*in_threads(perturbed, names, len(block) * len(names)), strict=True)
        found = PercentileGroups(self, names, np.array(squares), np.array(observed, dtype=float), merged, strata=1)
        return block.with_columns(dict(zip(names, columns, strict=True))).with_findings(found)

    def _masked(self, values: Numbers) -> int:
        return len(values) if self.zeros == "mask" else int(np.count_nonzero(values))

    def _groups(self, values: Numbers, rng: np.random.Generator) -> tuple[NDArray[np.intp], int]:
        from ammg.kernels.noise.percentile_noise import percentile_groups

        ties = rng.random(len(values)) if self.ties == "random" else None
        least = max(min(self.least, self._masked(values)), 1)
        return percentile_groups(values, self.groups, least, ties, own_zeros=self.zeros == "keep")


@dataclass(frozen=True, eq=False)
class PercentileGroups(Finding):
    """Facts about the percentile groups of some strata; one entry per column."""

    method: PercentileNoise
    names: tuple[str, ...]
    squares: Numbers
    """Sum of squares within groups."""
    observed: Numbers
    merged: tuple[int, ...]
    """Groups that were too small and were merged."""
    strata: int

    def merge(self, later: PercentileGroups) -> PercentileGroups:
        """Combine the facts of several strata."""
        return replace(
            self,
            squares=self.squares + later.squares,
            observed=self.observed + later.observed,
            merged=tuple(map(sum, zip(self.merged, later.merged, strict=True))),
            strata=self.strata + later.strata,
        )

    def notes(self) -> tuple[str, ...]:
        """How many groups were merged."""
        many = f", in {self.strata} strata" if self.method.within else ""
        return tuple(
            f"'{name}': {merged} percentile groups had fewer than {self.method.least} records and were merged{many}"
            for name, merged in zip(self.names, self.merged, strict=True)
            if merged
        )

    def published(self) -> tuple[NoiseLaw, ...]:
        """How large the noise is on average."""
        share = 2 * (1 - np.sqrt(1 - self.method.delta**2))
        change = share * self.squares / np.maximum(self.observed, 1)
        return (NoiseLaw(self.names, np.diag(change), self.method.delta**2),)


def _within_groups(values: Numbers, labels: NDArray[np.intp]) -> float:
    means = np.bincount(labels, values) / np.bincount(labels)
    return float(np.square(values - means[labels]).sum())
