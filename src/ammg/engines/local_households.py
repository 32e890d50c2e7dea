"""Records by household on one machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from ammg.data.encoding import ID
from ammg.data.finding import NOTHING_FOUND
from ammg.engines.engine import EngineSource, Households
from ammg.engines.pending import NOTHING
from ammg.errors import InputError

if TYPE_CHECKING:
    from ammg.engines.local import LocalSource


class LocalHouseholds(Households):
    """All members in one frame; a stream is read into memory."""

    def __init__(self, source: LocalSource, household: str) -> None:
        self.source, self.household = source, household
        self.frame = source.collect()
        if missing := self.frame[household].null_count():
            raise InputError(f"Household '{household}' is missing in {missing:,} records: fill it in.")

    @cached_property
    def heads(self) -> LocalSource:
        """The first member of each household."""
        return self._with(self.frame.unique(subset=self.household, keep="first", maintain_order=True))

    def varying(self, name: str) -> pl.Series:
        """The households whose members differ in a column."""
        count = pl.col(name).n_unique().alias("__values__")
        values = self.frame.group_by(self.household, maintain_order=True).agg(count)
        return values.filter(pl.col("__values__") > 1)[self.household]

    def meeting(self, condition: pl.Expr) -> tuple[pl.Expr, pl.Series]:
        """Households with a member that meets the condition, and those in which not all members do."""
        met = condition.fill_null(False)
        homes = self.frame.group_by(self.household, maintain_order=True).agg(
            met.any().alias("__any__"), met.all().alias("__all__")
        )
        divided = homes.filter(pl.col("__any__") & ~pl.col("__all__"))
        return pl.col(self.household).is_in(homes.filter("__any__")[self.household].implode()), divided[self.household]

    def joined(self, heads: EngineSource, written: Sequence[str], dropped: Sequence[str]) -> LocalSource:
        """Give the masked values of the heads to all members."""
        household, weight = self.household, self.source.schema.weight
        members = self.frame.drop(*dropped).join(
            heads.collect().select(household, *(pl.col(name).alias(f"__after__{name}") for name in written)),
            on=household,
            how="inner",
            maintain_order="left",
        )
        updated = [pl.col(f"__after__{name}").alias(name) for name in written if name != weight]
        if weight in written and weight is not None:
            first = pl.col(weight).first().over(household)
            factor = pl.when(first > 0).then(pl.col(f"__after__{weight}") / first).otherwise(1.0)
            updated.append((pl.col(weight) * factor).alias(weight))
        order = [name for name in self.frame.columns if name not in dropped]
        extra = [name for name in written if name not in order]
        table = members.with_columns(updated).select(*order, *extra).sort(ID)
        return replace(self._with(table), schema=heads.schema)

    def _with(self, table: pl.DataFrame) -> LocalSource:
        return replace(self.source, table=table, pending=NOTHING, findings=NOTHING_FOUND, as_opened=False)
