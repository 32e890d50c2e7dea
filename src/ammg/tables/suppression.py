"""Primary suppression."""

from __future__ import annotations

from typing import Any

import numpy as np
from pydantic import field_validator

from ammg.params import param
from ammg.tables.rules import Threshold, failing, listed
from ammg.tables.table import Table
from ammg.tables.units import Given, TableProtection, least_figure, plain_unit, rule_of


class PrimarySuppression(TableProtection):
    """Leave out the figures of cells that fail a rule.

    All other figures are kept; margins still show the sum of the suppressed cells, and `bound_cells` tells how much
    that discloses. There is no secondary suppression to prevent it.
    """

    rules: tuple[Any, ...] = param(({"threshold": {"least": 3}},), "Sensitivity rules, by name or with parameters.")

    @field_validator("rules", mode="before")
    @classmethod
    def _can_be_read(cls, given: Any) -> Any:
        return tuple(plain_unit(rule_of(entry)) for entry in listed(given))

    def protect(self, table: Table, secret: Given = None) -> Table:
        """Set the figures to missing; a published threshold implies that a suppressed count is below it."""
        rules = [rule_of(entry) for entry in self.rules]
        gone = failing(table, rules)
        figures = {name: np.where(gone, np.nan, values) for name, values in table.figures.items()}
        low, high = least_figure(table), np.inf
        if table.is_counted and len(rules) == 1 and isinstance(rules[0], Threshold):
            low, high = 1.0, rules[0].least - 1.0
        bounds = np.where(gone, low, table.lower), np.where(gone, high, table.upper)
        return table.with_figures(figures, bounds)
