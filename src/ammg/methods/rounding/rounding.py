"""Deterministic rounding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.draws import Draws
from ammg.methods.method import Method, Plan
from ammg.methods.rounding.multiples import plan_multiples
from ammg.methods.usage import Usage, quoted
from ammg.params import param
from ammg.summaries.summary import Source


class Rounding(Method):
    """Round each number to the nearest multiple of a base.

    Changes no value by more than half the base; totals drift, and rounded parts need not add up to the rounded total.
    An intruder rounds the known values the same way: with all 13 columns known, 60 percent of CENSUS are re-identified
    at a base of 20,000. Source: Willenborg and de Waal (2001), section 1.2.
    """

    accepts: ClassVar[Kind] = Kind.NUMERIC

    base: float = param(10.0, "Numbers become multiples of this.", gt=0)
    half: Literal["even", "up"] = param("even", "How to round a number halfway between two multiples.")

    def usage(self, columns: Sequence[str], weight: str | None = None) -> Usage:
        """Sheppard's correction (1898)."""
        code = (
            f"print(file[{quoted(columns[0])}].mean(), file[{quoted(columns[0])}].var() - {self.base**2 / 12:g})"
            if columns
            else ""
        )
        return Usage(
            "Means and totals, approximately; variances are too large by about base²/12.",
            f"Subtract base²/12 = {self.base**2 / 12:g} from variances (Sheppard 1898).",
            f"Do not interpret differences below {self.base:g}.",
            code,
        )

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Integers stay integers when the base is one."""
        return plan_multiples(source, self.chosen(source.schema), self.base)

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Round every observed value."""
        from ammg.kernels.rounding.rounding import round_nearest

        return block.with_columns(
            {name: round_nearest(block.numbers(name), self.base, self.half) for name in plan.schema.names}
        )
