"""The Kolmogorov-Smirnov distance of distributions."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.loss.distributions.ordered_columns import OrderedColumn, OrderLoss
from ammg.measures.measurement import Measurement, Table, numbers, text


class KolmogorovSmirnov(OrderLoss):
    """Largest distance between the distribution functions of both files, averaged over attributes.

    The table also gives it in percent and scaled by √(n·t/(n + t)), because published values above 1 can only be one of
    these (Shlomo, slides on information loss). Withheld values count with distance 1.
    """

    range = (0.0, 1.0)
    also_called: ClassVar[tuple[str, ...]] = ("KS",)

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Compare distribution functions."""
        by_column = self.by_column(pair, lambda column: column.distances.kolmogorov_smirnov)
        found = np.array(list(by_column.values()))
        sizes = np.array(list(self.by_column(pair, _sizes).values()), dtype=np.float64)
        scale = np.sqrt(sizes.prod(axis=1) / np.maximum(sizes.sum(axis=1), 1))
        table = Table({"attribute": text(by_column), "percent": numbers(100 * found), "scaled": numbers(scale * found)})
        facts = {"percent": 100 * found.mean(), "scaled": (scale * found).mean()}
        return Measurement(float(found.mean()), by_column=by_column, facts=facts, tables={"distances": table})


def _sizes(column: OrderedColumn) -> tuple[int, int]:
    """The number of values in either file."""
    before, after = column.sorted
    return len(before), len(after)
