"""Top coding of several numbers together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ammg.data.attribute import Kind
from ammg.data.block import Block
from ammg.data.finding import Finding
from ammg.data.published import Published
from ammg.draws import Draws
from ammg.methods.finite import refuse_unmeasurable
from ammg.methods.method import MultivariateMethod, Plan, Sees
from ammg.params import param
from ammg.summaries.summary import Source


@dataclass(frozen=True)
class PulledIn(Finding):
    """How many records lay outside the ellipsoid."""

    outside: int

    def merge(self, later: PulledIn) -> PulledIn:
        """Counts add."""
        return PulledIn(self.outside + later.outside)

    def notes(self) -> tuple[str, ...]:
        """The count in words."""
        return (f"{self.outside:,} records lay outside the ellipsoid and were moved onto it",)


class MultivariateTopCoding(MultivariateMethod):
    """Pull records that are outliers in several numbers at once back to the border of the bulk.

    Records outside a robust ellipsoid move towards its centre until they lie on its border; all others stay unchanged.
    Keeps the bulk, and every linear identity that holds at the centre; means and variances move inwards. An intruder
    re-identifies three quarters of CENSUS by taking the nearest record. Records inside are released unmasked: combine
    it with a method that protects them. Numbers get fractions. Source: sdcMicro's mvTopCoding (Templ 2017), with the
    distances of Maronna and Zamar (2002).
    """

    also_called: ClassVar[tuple[str, ...]] = ("MvTopCoding",)
    accepts: ClassVar[Kind] = Kind.NUMERIC
    sees: ClassVar[Sees] = Sees.FILE
    searched: ClassVar[bool] = False
    """Alone it leaves most records as they are."""

    level: float = param(0.975, "Records beyond this quantile of the distances in normal data are moved.", gt=0.5, lt=1)

    def plan(self, source: Source, draws: Draws) -> Plan:
        """Numbers become fractions; outliers are found once all records are seen."""
        names = self.chosen(source.schema)
        refuse_unmeasurable(source, names)
        schema = source.schema.select(names)
        schema = schema.replace(*(attribute.replace(kind=Kind.CONTINUOUS) for attribute in schema))
        return Plan(schema, published=(Published(names),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        """Move what lies outside; missing values stay."""
        from ammg.kernels.outliers import pull_in

        names = plan.schema.names
        if not len(block):
            return block.with_columns({name: block.numbers(name) for name in names})
        moved, outside = pull_in(block.matrix(names), self.level)
        columns = {name: np.ascontiguousarray(moved[:, j]) for j, name in enumerate(names)}
        return block.with_columns(columns).with_findings(PulledIn(int(outside.sum())))
