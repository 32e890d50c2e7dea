"""Shared base of methods that group similar records and release group means."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.published import Groups, GroupSums
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.finite import refuse_extreme, refuse_infinite
from ammg.methods.grouping.whole_means import after_means, in_whole_numbers, integers_param
from ammg.methods.method import MultivariateMethod, Plan, StratifiedMethod
from ammg.methods.strata import note_small_strata
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.counts import MissingCounts
from ammg.summaries.summary import Source

Matrix = NDArray[np.float64]

MOST_IMPORTANT = 1_000_000  # beyond it, squares of large values would overflow


class RecordGrouping(StratifiedMethod, MultivariateMethod):
    """Base of the methods that partition records by all columns together and release group means.

    A subclass says which records belong together (`groups`). Means are taken on the original scale, weighted if there
    is a weight, which keeps (weighted) totals. One partition serves all columns, which keeps every linear identity.
    Missing values stay missing; every mean is taken over at least k observed values.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC

    k: int = param(3, "Least records in a group.", ge=2, search=(3, 60), log=True)
    standardise: bool = param(True, "Compare records by z-scores, so that units of measurement do not matter.")
    importance: dict[str, float] = param({}, "Weight of each column in distances; 1 for columns not named.")
    noise: Literal["none", "pooled", "within"] = param(
        "none",
        "Add noise to the means so that variances and covariances match the data. Its covariance is "
        "pooled over all groups (pooled) or that of each group (within). Keeps totals and identities; "
        "the records of a group are no longer equal.",
        search=["none", "within"],
    )
    blocks: tuple[tuple[str, ...], ...] = param(
        (),
        "Columns to group separately, such as [[wages, tax], [age, visits]]. Separate blocks lose "
        "less, but groups of k equal records and linear identities hold only within a block.",
    )
    integers: bool = integers_param()
    exact: bool = param(
        False, "Match the covariances of the data exactly instead of in expectation; needs noise.", search=[False, True]
    )

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if self.exact and self.integers:
            raise InputError("exact covariances and whole numbers cannot be combined: drop one of them.")
        if self.exact and self.noise == "none":
            raise InputError("exact covariances need noise: choose noise: pooled or within.")
        named = [name for block in self.blocks for name in block]
        for name in named:
            if named.count(name) > 1:
                raise InputError(f"Column '{name}' is in two blocks: name it once.")
            if self.columns is not None and name not in self.columns:
                raise InputError(
                    f"Block column '{name}' is not among the columns to mask: add it to `columns`, or omit `columns`."
                )
        if not all(self.blocks):
            raise InputError("A block is empty: remove it, or name its columns.")
        return self

    @property
    def least_together(self) -> int:
        """A group."""
        return self.k

    @abstractmethod
    def groups(self, records: Matrix, draws: Draws) -> NDArray[np.int64]:
        """The group number of each of at least 2k records, from 0; `records` are scaled, NaN where missing."""

    def chosen(self, schema: Schema) -> tuple[str, ...]:
        """The columns to mask: those of the blocks, where there are blocks."""
        if not self.blocks:
            return super().chosen(schema)
        named = tuple(name for block in self.blocks for name in block)
        for name in self.columns or ():
            if name not in named:
                raise InputError(f"Column '{name}' is in no block: add it to one, or leave it out of columns.")
        return super().chosen(schema) if self.columns is not None else self.on_columns(named).chosen(schema)

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The masked columns and the weight, whose totals are kept."""
        return (*self.chosen(schema), *([schema.weight] if schema.weight else []))

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Totals hold; variances are those between groups."""
        kept = "means, totals, variances and covariances" if self.noise != "none" else "means and totals"
        avoid = (
            "Do not use single values."
            if self.noise != "none"
            else (
                "Do not trust variances (too small), correlations (too large) or tests that count every "
                f"record: each record is an average of at least {self.k} people."
            )
        )
        return Usage(
            f"Of the masked columns {kept}, and sums of parts that were grouped together.",
            "The usual estimators for means and totals, with the weights if the file has them.",
            avoid,
            f"print(file.select({listed(columns)}).describe())",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Check that there are enough values for a group."""
        names = self.chosen(source.schema)
        refuse_extreme(names, refuse_infinite(source, names))
        self._check_importance(source.schema)
        records, notes = source.count(), []
        if 0 < records < self.k:
            raise InputError(f"k = {self.k} is larger than the {records} records: lower k.")
        if 0 < records < 2 * self.k:
            notes.append(f"fewer than 2k = {2 * self.k} records: all {records} form one group")
        notes += note_small_strata(source, self.strata(source.schema), names, self.k)
        missing_counts = source.fold(MissingCounts(names))
        if self.exact and missing_counts.any():
            raise InputError("exact covariances need complete columns: impute missing values, or drop `exact`.")
        for name, missing in zip(names, missing_counts, strict=True):
            observed = records - int(missing)
            if 0 < observed < self.k:
                raise InputError(f"k = {self.k} is larger than the {observed} values of '{name}': lower k.")
            if records and not observed:
                notes.append(f"'{name}' has no values and is ignored in the grouping")
        schema = source.schema.select(names)
        if self.noise != "none" and all(attribute.is_categorical for attribute in schema):
            raise InputError(
                f"{self.name}: noise needs numeric columns, and no column to mask is numeric: leave noise out."
            )
        schema = after_means(schema, self.integers)
        parts = self._parts(names)
        if len(parts) > 1:
            notes.append(
                f"columns are grouped in {len(parts)} blocks: groups of {self.k} equal records exist only "
                "within a block"
            )
        told = [Groups(part, self.k, joint=True) if self.noise == "none" else GroupSums(part, self.k) for part in parts]
        return Plan(schema, published=tuple(told), notes=tuple(notes))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Mask the blocks of columns one by one, each with its own random draws."""
        for names in self._parts(tuple(plan.schema.names)):
            part = Plan(plan.schema.select(names), published=plan.published)
            block = self.mask_together(block, part, draws.at("block", *names) if self.blocks else draws)
        return in_whole_numbers(block, plan.schema)

    def mask_together(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Group the records of a stratum by some columns and replace values by the means of their groups."""
        names = plan.schema.names
        if not len(block):
            return block
        values = block.matrix(names)
        self._check_stratum(values, names)
        weights = block.numbers(block.schema.weight) if block.schema.weight else None
        masked = self.released(values, self.partition(values, names, draws), weights, draws)
        return block.with_columns({name: np.ascontiguousarray(masked[:, j]) for j, name in enumerate(names)})

    def partition(self, values: Matrix, names: list[str], draws: Draws) -> NDArray[np.int64]:
        """The group of each record; fewer than 2k records are one group."""
        from ammg.kernels.grouping.shared_means import standard_scores

        if len(values) < 2 * self.k:
            return np.zeros(len(values), dtype=np.int64)
        records = standard_scores(values) if self.standardise else values
        if self.importance:
            records = records * np.sqrt([self.importance.get(name, 1.0) for name in names])
        return self.groups(records, draws)

    def released(self, values: Matrix, group: NDArray[np.int64], weights: Matrix | None, draws: Draws) -> Matrix:
        """Values replaced by group means, with noise if requested."""
        from ammg.kernels.grouping.shared_means import shared_means

        means = shared_means(values, group, self.k, weights)
        if self.noise == "none" or not means.shape[1]:  # a block may hold categories alone
            return means
        from ammg.kernels.grouping.group_noise import group_noise

        rng, pooled = draws.generator("noise"), self.noise == "pooled"
        lost = np.ascontiguousarray(values - means)  # one layout, so that sums do not depend on that of the means
        return means + group_noise(lost, group, rng, pooled=pooled, exact=self.exact, weights=weights)

    def _parts(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The masked columns of each block; without blocks, all columns form one."""
        parts = [tuple(name for name in block if name in names) for block in self.blocks or (names,)]
        return [part for part in parts if part]

    def _check_importance(self, schema: Schema) -> None:
        for name, value in self.importance.items():
            column = schema[name].name  # refuses what is no column
            if not 0 <= value <= MOST_IMPORTANT:
                raise InputError(
                    f"The importance of '{column}' is {value}: give a number from 0 to {MOST_IMPORTANT:,}."
                )

    def _check_stratum(self, values: Matrix, names: list[str]) -> None:
        if len(values) < self.k:
            raise InputError(
                f"k = {self.k} is larger than a part of {len(values)} records: lower k, or work within fewer strata."
            )
        for name, observed in zip(names, np.count_nonzero(~np.isnan(values), axis=0), strict=True):
            if 0 < observed < self.k:
                raise InputError(f"k = {self.k} is larger than a part with {observed} values of '{name}': lower k.")
