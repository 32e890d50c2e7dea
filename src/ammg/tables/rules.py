"""Sensitivity rules: which cells of a table disclose too much, and why."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.errors import InputError
from ammg.params import param
from ammg.tables.table import COUNT, WEIGHTED, Table
from ammg.tables.tabulate import LARGEST
from ammg.tables.units import SensitivityRule, rule_of

Booleans = NDArray[np.bool_]


class Threshold(SensitivityRule):
    """A cell needs a least number of contributors.

    Source: Hundepool et al. (2012), Statistical Disclosure Control, section 4.2.
    """

    least: int = param(3, "Least number of records in a cell that is not empty.", ge=2)

    def fails(self, table: Table) -> Booleans:
        """Cells that are not empty but have fewer records than required."""
        records = table.contributors.records
        return np.asarray((records > 0) & (records < self.least))

    def why(self, table: Table, cell: tuple[int, ...]) -> str:
        """The number of records."""
        records = int(table.contributors.records[cell])
        return f"{records} {'record' if records == 1 else 'records'}, fewer than {self.least}"


class Dominance(SensitivityRule):
    """The n largest contributors must not make up more than k percent of a cell.

    Source: Hundepool et al. (2012), Statistical Disclosure Control, section 4.2.2, the (n, k) rule.
    """

    n: int = param(1, "Number of the largest contributors.", ge=1, le=LARGEST)
    k: float = param(75.0, "Greatest share of these contributors, in percent.", gt=0, lt=100)

    def fails(self, table: Table) -> Booleans:
        """Cells that the largest contributors dominate."""
        _refuse_counts(self, table)
        who = table.contributors
        return np.asarray((who.total > 0) & (self._share(table) > self.k / 100))

    def why(self, table: Table, cell: tuple[int, ...]) -> str:
        """The share of the largest."""
        share = 100 * self._share(table)[cell]
        return f"the largest {self.n} contribute {share:.0f} %, more than {self.k:g} %"

    def _share(self, table: Table) -> NDArray[np.float64]:
        who = table.contributors
        top = who.largest[..., : self.n].sum(axis=-1)
        return np.asarray(np.divide(top, who.total, out=np.zeros_like(top), where=who.total > 0))


class PPercent(SensitivityRule):
    """Nobody may be able to estimate the largest contributor to within p percent, not even the second largest.

    Source: Hundepool et al. (2012), Statistical Disclosure Control, section 4.2.2, the p % rule.
    """

    p: float = param(10.0, "Least error of that estimate, in percent of the largest contribution.", gt=0, le=100)

    def fails(self, table: Table) -> Booleans:
        """Cells whose other contributors hide too little."""
        _refuse_counts(self, table)
        who = table.contributors
        return np.asarray((who.total > 0) & (self._rest(table) < self.p / 100 * who.largest[..., 0]))

    def why(self, table: Table, cell: tuple[int, ...]) -> str:
        """How near the second largest comes."""
        error = 100 * self._rest(table)[cell] / table.contributors.largest[cell][0]
        return f"the second largest knows the largest to within {error:.1f} %, less than {self.p:g} %"

    def _rest(self, table: Table) -> NDArray[np.float64]:
        who = table.contributors
        rest = who.total - who.largest[..., :2].sum(axis=-1)
        return np.where(rest > 1e-12 * who.total, rest, 0.0)


def sensitive_cells(table: Table, rules: Iterable[Any]) -> pl.DataFrame:
    """One row per failing cell and rule, with the reason; rules are given by name or with parameters."""
    labels = table.layout.frame().cast(pl.String)
    found = []
    for rule in (rule_of(entry) for entry in listed(rules)):
        places = np.flatnonzero(rule.fails(table).ravel())
        cells = np.stack(np.unravel_index(places, table.layout.shape), axis=1)
        reasons = [rule.why(table, tuple(map(int, cell))) for cell in cells]
        found.append(
            labels[places].with_columns(pl.lit(rule.name).alias("rule"), pl.Series("reason", reasons, dtype=pl.String))
        )
    return pl.concat(found) if found else labels.clear().with_columns(rule=pl.lit(""), reason=pl.lit(""))


def failing(table: Table, rules: Iterable[Any]) -> Booleans:
    """Which cells fail at least one rule."""
    found = np.zeros(table.layout.shape, dtype=bool)
    for entry in listed(rules):
        found |= rule_of(entry).fails(table)
    return found


def listed(rules: Any) -> list[Any]:
    """Rules as a list, even if only one is given."""
    return [rules] if isinstance(rules, str | SensitivityRule | dict) else list(rules)


def _refuse_counts(rule: SensitivityRule, table: Table) -> None:
    if table.figure in (COUNT, WEIGHTED):
        raise InputError(f"{rule.name} is about contributions to a sum: tabulate a value, or use threshold.")
