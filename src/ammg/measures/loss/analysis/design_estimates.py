"""What is left of the estimates of a survey."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator

from ammg.data.attribute import Role
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.loss.design_based import Design, Estimate, mean, quantile, total
from ammg.kernels.loss.models import interval_overlap
from ammg.measures.loss.tables.tables_in_memory import TablesInMemory
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement, Table, shares, text
from ammg.params import param

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class DesignEstimates(Loss):
    """Mean share by which confidence intervals of survey estimates from the two files do not overlap.

    Compares weighted means, totals and quantiles of numbers, for the whole file or for the domains of `by`. Variances
    follow the design by linearisation (sampling weights, strata, and households as clusters), with Woodruff intervals
    for quantiles. Intervals that do not overlap count 1 (Karr et al. 2006), and so do estimates that the release cannot
    give. Domains are those that the release shows.
    """

    range = (0.0, 1.0)
    percent = True

    columns: tuple[str, ...] | None = param(None, "Numeric attributes; by default all that an analyst gets.")
    statistics: tuple[Literal["mean", "total", "quantile"], ...] = param(("mean", "total"), "What is estimated.")
    shares: tuple[float, ...] = param((0.25, 0.5, 0.75), "Shares of the quantiles.")
    by: str | None = param(None, "Categorical attribute whose levels are the domains; by default the whole file.")
    confidence: float = param(0.95, "Level of the intervals.", gt=0, lt=1)

    @field_validator("shares")
    @classmethod
    def _inside(cls, given: tuple[float, ...]) -> tuple[float, ...]:
        if not given or not all(0 < share < 1 for share in given):
            raise ValueError("give at least one share, each between 0 and 1")
        return given

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Estimate everything twice."""
        from scipy.special import ndtri

        names = pair.numeric(self.columns)
        if not names:
            raise NotDefined("no numeric attribute to compare")
        if not pair.n or not pair.t:
            raise NotDefined("no record to compare")
        normal = float(ndtri((1 + self.confidence) / 2))
        domains = self._domains(pair)
        designs = [_design(data) for data in (pair.original, pair.masked)]
        rows: list[tuple[str, str, str, float | None]] = []
        for name in names:
            sides = [pair.originals([name])[:, 0], pair.released([name])[:, 0]]
            for place, (before, after) in enumerate(domains):
                first = self._estimates(sides[0], before, designs[0], normal)
                second = self._estimates(sides[1], after, designs[1], normal)
                for what, estimate in first.items():
                    if estimate is not None:
                        rows.append(
                            (name, what, f"{self.by} {place + 1}" if self.by else "", _common(estimate, second[what]))
                        )
        if not rows:
            raise NotDefined("nothing can be estimated from the original")
        cells = list(zip(*rows, strict=True))
        table = Table(
            {
                "attribute": text(cells[0]),
                "statistic": text(cells[1]),
                "domain": text(cells[2]),
                "overlap": shares(cells[3]),
            }
        )
        by_column = {
            name: _mean([1 - float(row[3] or 0) for row in rows if row[0] == name]) for name in dict.fromkeys(cells[0])
        }
        return Measurement(
            _mean([1 - float(row[3] or 0) for row in rows]), by_column=by_column, tables={"estimates": table}
        )

    def _estimates(
        self, values: Floats, domain: NDArray[np.bool_], design: Design, normal: float
    ) -> dict[str, Estimate | None]:
        chosen = domain & ~np.isnan(values)
        found: dict[str, Estimate | None] = {}
        if "mean" in self.statistics:
            found["mean"] = mean(values, chosen, design, normal)
        if "total" in self.statistics:
            found["total"] = total(values, chosen, design, normal) if chosen.any() else None
        if "quantile" in self.statistics:
            found |= {f"quantile {share:g}": quantile(values, chosen, share, design, normal) for share in self.shares}
        return found

    def _domains(self, pair: Pair) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
        if self.by is None:
            return [(np.ones(pair.n, dtype=bool), np.ones(pair.t, dtype=bool))]
        if not pair.original.schema[self.by].is_categorical:
            raise NotDefined(f"'{self.by}' is not categorical, so it has no domains")
        coded = TablesInMemory((self.by,), pair, 10, weighted=False).coded(self.by)
        own = np.append(coded.own, -1)[coded.before]  # the class that the release has for each original
        classes = np.unique(own[own >= 0]).tolist()
        return [(own == code, coded.after == code) for code in classes]


def _design(data: Microdata) -> Design:
    """Weights, strata and households, if the file has them."""
    size, schema = len(data), data.schema
    weights = data.block([schema.weight]).numbers(schema.weight) if schema.weight else np.ones(size)
    strata = np.zeros(size, dtype=np.int64)
    for name in schema.with_role(Role.STRATUM):
        strata = strata * (int(data.table[name].n_unique()) + 1) + _ranked(data, name)
    _, strata = np.unique(strata, return_inverse=True)
    clusters = np.arange(size)
    if schema.household is not None and schema.household in data.table.columns:
        _, clusters = np.unique(strata * (size + 1) + _ranked(data, schema.household), return_inverse=True)
    return Design(np.nan_to_num(weights), strata.astype(np.int64), clusters.astype(np.int64))


def _ranked(data: Microdata, name: str) -> Ints:
    return data.table[name].rank("dense").fill_null(0).to_numpy().astype(np.int64)


def _common(first: Estimate, second: Estimate | None) -> float:
    if second is None:
        return 0.0
    ends = (np.array([end]) for end in (first.low, first.high, second.low, second.high))
    return float(interval_overlap(*ends)[0])


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
