"""Univariate microaggregation with groups of fixed size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.published import Groups
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.finite import refuse_extreme, refuse_infinite
from ammg.methods.grouping.whole_means import after_means, in_whole_numbers, integers_param
from ammg.methods.method import Plan, StratifiedMethod
from ammg.methods.strata import note_small_strata
from ammg.methods.usage import Usage, listed
from ammg.params import param
from ammg.summaries.counts import MissingCounts
from ammg.summaries.summary import Source


class UnivariateGrouping(StratifiedMethod):
    """Base of the methods that group each column by itself and release group means."""

    accepts: ClassVar[Kind] = Kind.NUMERIC
    optimal: ClassVar[bool]

    k: int = param(3, "Least records in a group.", ge=2, search=(3, 30))
    integers: bool = integers_param()

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The masked columns and the weight, whose totals are kept."""
        return (*self.chosen(schema), *([schema.weight] if schema.weight else []))

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Totals hold; variances are those between groups."""
        return Usage(
            f"Means and totals of each masked number, and quantiles to within groups of {self.k} records.",
            "The usual estimators for one column at a time.",
            "Do not trust variances, which are slightly too small, and do not use single values: each is "
            f"an average of at least {self.k} records.",
            f"print(file.select({listed(columns)}).describe())",
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Check that there are enough values for a group."""
        names = self.chosen(source.schema)
        refuse_extreme(names, refuse_infinite(source, names))
        missing_counts = source.fold(MissingCounts(names))
        notes = note_small_strata(source, self.strata(source.schema), names, self.k)
        for name, missing in zip(names, missing_counts, strict=True):
            observed = source.count() - int(missing)
            if 0 < observed < self.k:
                raise InputError(f"k = {self.k} is larger than the {observed} values of '{name}': lower k.")
            if 0 < observed < 2 * self.k:
                notes.append(f"fewer than 2k = {2 * self.k} values of '{name}': all {observed} form one group")
            if source.count() and not observed:
                notes.append(f"'{name}' has no value")
        schema = after_means(source.schema.select(names), self.integers)
        return Plan(schema, published=(Groups(names, self.k, joint=False, within=self.within),), notes=tuple(notes))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Replace each value by the mean of its group; a weight makes it the weighted mean."""
        from ammg.kernels.grouping.univariate_groups import microaggregate_column
        from ammg.kernels.threads import in_threads

        weight = next((a.name for a in block.schema if a.name not in plan.schema), None)
        weights = block.numbers(weight) if weight else None

        def grouped(name: str) -> NDArray[np.float64]:
            values = block.numbers(name)
            seen = ~np.isnan(values)
            observed = int(np.count_nonzero(seen))
            if 0 < observed < self.k:
                raise InputError(f"k = {self.k} is larger than a stratum with {observed} values of '{name}': lower k.")
            if observed == len(values):
                return microaggregate_column(values, self.k, optimal=self.optimal, weights=weights)
            masked = values.copy()
            if observed:
                mass = None if weights is None else weights[seen]
                masked[seen] = microaggregate_column(values[seen], self.k, optimal=self.optimal, weights=mass)
            return masked

        names = plan.schema.names
        columns = in_threads(grouped, names, len(block) * len(names))
        return in_whole_numbers(block.with_columns(dict(zip(names, columns, strict=True))), plan.schema)


class UnivariateMicroaggregation(UnivariateGrouping):
    """Replace each number by the mean of k neighbouring values, column by column.

    Keeps totals; every value of a column is shared by at least k records. Each column is grouped by itself, so records
    are not k-anonymous on several columns together: an intruder who compares all columns re-identifies nearly
    everybody, 99.9 percent of CENSUS at k = 5. Source: Domingo-Ferrer and Mateo-Sanz (2002), individual ranking; Truta
    et al. (2003), appendix.
    """

    also_called: ClassVar[tuple[str, ...]] = ("IndividualRanking",)
    optimal: ClassVar[bool] = False
