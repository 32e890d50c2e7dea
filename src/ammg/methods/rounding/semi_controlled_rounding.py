"""Random rounding with controlled totals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.methods.method import Plan, StratifiedMethod
from ammg.methods.rounding.multiples import plan_multiples
from ammg.methods.usage import Usage, quoted
from ammg.params import param
from ammg.summaries.summary import Source


class SemiControlledRounding(StratifiedMethod):
    """Round numbers at random so that the total, and that of every control group, changes by less than the base.

    Every value goes to one of its two neighbouring multiples, without bias, and exactly as many go up as the total
    needs. Means of small groups outside `control` vary as with independent rounding. An intruder who knows the base
    re-identifies half of CENSUS rounded to 20,000. Source: Shlomo's overview of disclosure control methods, by
    systematic sampling.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC

    base: float = param(10.0, "Numbers become multiples of this.", gt=0)
    control: tuple[str, ...] = param((), "Columns whose combinations are groups with controlled totals.")
    rule: Literal["systematic", "classwise"] = param(
        "systematic",
        "Draw a systematic sample over all values (systematic), or follow the source: round(n·r/b) of "
        "the n values with remainder r (classwise), which is biased if that is no whole number and "
        "cannot control groups.",
    )

    @classmethod
    def examples(cls) -> list[Self]:
        """All totals together, by group, and by the rule of the source."""
        return [cls(), cls(control=("region", "zone")), cls(rule="classwise")]

    @model_validator(mode="after")
    def _classes_are_not_controlled(self) -> SemiControlledRounding:
        if self.control and self.rule == "classwise":
            raise ValueError("classwise rounding has no control groups: use the systematic rule, or drop control")
        return self

    def needs(self, schema: Schema) -> tuple[str, ...]:
        """The rounded columns and those that make the groups."""
        return tuple(dict.fromkeys((*self.chosen(schema), *(schema[name].name for name in self.control))))

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Means hold in expectation; the variance of rounding at random is base²/6 on average."""
        code = (
            f"print(file[{quoted(columns[0])}].mean(), file[{quoted(columns[0])}].var() - {self.base**2 / 6:g})"
            if columns
            else ""
        )
        return Usage(
            "Means and totals, without bias; variances are too large by about base²/6.",
            f"Subtract base²/6 = {self.base**2 / 6:g} from variances, if values vary by much more than the base.",
            f"Do not interpret differences below {self.base:g}.",
            code,
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Integers stay integers when the base is one."""
        return plan_multiples(source, self.chosen(source.schema), self.base, random=True)

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Round each column by itself within the stratum."""
        from ammg.kernels.rounding.rounding import round_classwise, round_systematic
        from ammg.kernels.threads import in_threads

        groups = self._groups(block)

        def rounded(name: str) -> NDArray[np.float64]:
            values, rng = block.numbers(name), draws.generator(name)
            if self.rule == "classwise":
                return round_classwise(values, self.base, rng)
            return round_systematic(values, self.base, rng, groups)

        names = plan.schema.names
        columns = in_threads(rounded, names, len(block) * len(names))
        return block.with_columns(dict(zip(names, columns, strict=True)))

    def _groups(self, block: Block) -> NDArray[np.int64] | None:
        if not self.control:
            return None
        labels = np.zeros(len(block), dtype=np.int64)
        for name in self.control:
            values, codes = np.unique(block.numbers(name), return_inverse=True)
            labels = np.unique(labels * (len(values) + 1) + codes, return_inverse=True)[1]
        return labels
