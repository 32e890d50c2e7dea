"""Household totals: one column is the sum of another over the members."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import polars as pl

from ammg.data.rules.rule import Rule
from ammg.data.rules.tokens import quoted
from ammg.data.rules.values import Booleans, Values

_ROUNDING = 1e-9  # relative tolerance of a sum, as a share of the size of its terms
SUM, SIZE, TOTAL, TERMS = "__sum__", "__size__", "__total__", "__terms__"


@dataclass(frozen=True)
class HouseholdSum(Rule):
    """`household_income = sum of income by household`: the total of a household is the sum over its members.

    Members without a value count as zero. Households without a total, or without any value among the members, do not
    break the rule. `broken` counts households.
    """

    total: str
    part: str
    household: str

    @classmethod
    def of(cls, total: str, part: str, household: str) -> HouseholdSum:
        """The rule about three columns."""
        return cls(f"{quoted(total)} = sum of {quoted(part)} by {quoted(household)}", total, part, household)

    @property
    def columns(self) -> tuple[str, ...]:
        """Total, part and household."""
        return (self.total, self.part, self.household)

    @property
    def numeric(self) -> tuple[str, ...]:
        """Total and part."""
        return (self.total, self.part)

    @property
    def needed(self) -> tuple[str, ...]:
        """The household: missing totals and parts are treated by the rule itself."""
        return (self.household,)

    @property
    def measured(self) -> tuple[str, ...]:
        """None: missing totals and parts are treated by the rule itself."""
        return ()

    def holds(self, values: Values) -> Booleans:
        """Which records belong to households that meet the rule; all members must be present."""
        homes = values.groups(self.household)
        parts, totals = values.numbers(self.part), values.numbers(self.total)
        number = int(homes.max(initial=-1)) + 1
        sums = np.bincount(homes, np.nan_to_num(parts), minlength=number)
        sizes = np.bincount(homes, np.abs(np.nan_to_num(parts)), minlength=number)
        present = np.bincount(homes, ~np.isnan(parts), minlength=number)
        missed = np.abs(sums[homes] - totals) > _ROUNDING * (sizes[homes] + np.abs(totals))
        return np.asarray(~missed | np.isnan(totals) | (present[homes] == 0))

    def homes(self, frame: pl.DataFrame) -> pl.DataFrame:
        """One row per household of a chunk; `merged` adds them up over chunks."""
        part = pl.col(self.part).cast(pl.Float64)
        return (
            frame.lazy()
            .drop_nulls(self.household)
            .group_by(self.household)
            .agg(
                part.sum().alias(SUM),
                part.abs().sum().alias(TERMS),
                part.count().alias(SIZE),
                pl.col(self.total).cast(pl.Float64).max().alias(TOTAL),
            )
            .collect()
        )

    def merged(self, chunks: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """The households of all chunks, added up."""
        added = [pl.col(SUM).sum(), pl.col(TERMS).sum(), pl.col(SIZE).sum(), pl.col(TOTAL).max()]
        return pl.concat(list(chunks)).group_by(self.household).agg(added)

    @staticmethod
    def missed() -> pl.Expr:
        """Which of the merged households have a total that differs from the sum."""
        size = pl.col(TERMS) + pl.col(TOTAL).abs()
        return ((pl.col(SUM) - pl.col(TOTAL)).abs() > _ROUNDING * size) & (pl.col(SIZE) > 0)
