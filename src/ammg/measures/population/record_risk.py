"""Risks of single records: their mean with its interval, for the whole file and for outliers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.kernels.columns import selected
from ammg.kernels.distant_records import farthest
from ammg.kernels.linkage.rates import wilson_interval
from ammg.measures.measure import Risk
from ammg.measures.measurement import Chart, Fact, Measurement, People, Table
from ammg.params import param

Floats = NDArray[np.float64]


class RecordRisk(Risk):
    """Base of the risks that give every released record a value between 0 and 1."""

    outliers: float = param(0.05, "Share of outlying records for which the risk is also shown separately.", gt=0, le=1)

    def averaged(
        self,
        pair: Pair,
        values: Floats,
        counted: NDArray[np.bool_],
        facts: Mapping[str, Fact],
        *,
        tables: Mapping[str, Table] | None = None,
        by_column: Mapping[str, float] | None = None,
        charts: tuple[Chart, ...] = (),
    ) -> Measurement:
        """The mean of the counted records' values with Wilson's interval, and the same on outliers.

        The outliers are the records farthest from the mean of the standardised original (Mateo-Sanz et al. 2004).
        """
        share, interval = _rate(selected(values, counted))
        far = counted & self._outlying(pair)
        beside: dict[str, Fact] = {"outliers": int(far.sum())}
        if far.any():
            beside["outlier_value"], beside["outlier_interval"] = _rate(values[far])
        return Measurement(
            value=share,
            interval=interval,
            by_column=by_column or {},
            facts={**facts, "records": int(counted.sum()), **beside},
            tables=tables or {},
            charts=charts,
            people=People(values),
        )

    def _outlying(self, pair: Pair) -> NDArray[np.bool_]:
        names = pair.numeric()
        real = pair.link >= 0
        if not names or not pair.n:
            return np.zeros(pair.t, dtype=bool)

        def mark() -> NDArray[np.bool_]:
            columns = [pair.original_column(name) for name in names]
            return farthest(columns, [pair.original_profile(name) for name in names], self.outliers)

        marked = pair.original.once((farthest, tuple(names), self.outliers), mark)
        return real & np.asarray(marked[pair.link])


def _rate(values: Floats) -> tuple[float, tuple[float, float]]:
    low, high = wilson_interval(float(values.sum()), len(values))
    return float(values.mean()), (low, high)
