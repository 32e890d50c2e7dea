"""Unbiased random rounding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.draws import Draws
from ammg.methods.method import Method, Plan
from ammg.methods.rounding.multiples import plan_multiples
from ammg.methods.usage import Usage, quoted
from ammg.params import param
from ammg.summaries.summary import Source


class RandomRounding(Method):
    """Round each number up or down to a multiple of a base at random, without bias.

    Every value goes to one of its two neighbouring multiples; multiples stay. Keeps means and totals in expectation;
    adds a variance of r·(b - r) to a value with remainder r. An intruder who knows the base re-identifies half of
    CENSUS rounded to 20,000. Source: Shlomo's overview of disclosure control methods.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC

    base: float = param(10.0, "Numbers become multiples of this.", gt=0)

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
        """Round every observed value by its own draw."""
        from ammg.kernels.rounding.rounding import round_random

        return block.with_columns(
            {
                name: round_random(block.numbers(name), self.base, draws.uniform(block.ids, name))
                for name in plan.schema.names
            }
        )
