"""The cell-key method."""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from pydantic import model_validator

from ammg.errors import InputError
from ammg.kernels.rounding.perturbation_law import perturb_counts
from ammg.params import param
from ammg.tables.table import COUNT, WEIGHTED, Table
from ammg.tables.tabulate import KEY_BITS
from ammg.tables.units import Given, TableProtection, told_bounds


class CellKeys(TableProtection):
    """Change every count a little, so that the same cell changes in the same way in every table of the file.

    Each record has a secret random key. The keys of a cell's records add up to the cell key, which selects the change
    from a distribution without bias and with the given variance. Empty cells stay empty. A margin is the cell of a
    smaller table and changes in the same way, so tables no longer add up exactly, and averaging many tables reveals no
    more than one does. A weighted count changes by this many records of the cell's mean weight.
    Source: Marley and Leaver (2011), A method for confidentialising user-defined tables.
    """

    keyed: ClassVar[bool] = True

    variance: float = param(2.0, "Variance of the change.", gt=0)
    most: int = param(5, "Greatest change.", ge=1, le=100)

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if self.variance >= self.most:
            raise InputError(
                f"A count of 1 changes by -1 to {self.most}, so the variance must be below {self.most}: "
                f"{self.variance:g} is too high; lower it or raise `most`."
            )
        return self

    def protect(self, table: Table, secret: Given = None) -> Table:
        """Change the counts according to the record keys of the table."""
        who = table.contributors
        if table.figure not in (COUNT, WEIGHTED):
            raise InputError(f"Cell keys change counts, but this table sums '{table.figure}': round or suppress it.")
        if who.keys is None:
            raise InputError("The table has no record keys: give tabulate a secret, the same for all tables of a file.")
        chances = who.keys.astype(np.float64) / 2.0**KEY_BITS
        change = perturb_counts(who.records, chances, self.variance, self.most)
        figures = {}
        for name, values in table.figures.items():
            mean = np.divide(values, who.records, out=np.ones_like(values), where=who.records > 0)
            figures[name] = values + change * mean
        shown = figures[table.figure]
        mean = np.divide(table.values, who.records, out=np.ones_like(shown), where=who.records > 0)
        low, high = told_bounds(shown, self.most * mean, table)
        return table.with_figures(figures, (np.where(shown > 0, np.maximum(low, mean), low), high))
