"""Rounded tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.errors import InputError
from ammg.kernels.rounding.rounding import round_random, round_systematic
from ammg.params import param
from ammg.tables.controlled_rounding import round_table
from ammg.tables.table import Table
from ammg.tables.units import Given, TableProtection, draws_of, least_figure, told_bounds, whole_reach

Floats = NDArray[np.float64]


class TableRounding(TableProtection):
    """Base of the rounding methods: every figure goes to a neighbouring multiple of the base, without bias."""

    base: float = param(5.0, "Figures become multiples of this.", gt=0)

    def _reach(self, table: Table) -> float:
        return whole_reach(self.base, table.values)


class RandomTableRounding(TableRounding):
    """Round every figure, margins included, up or down at random without bias; the table may no longer add up.

    Source: Hundepool et al. (2012), Statistical Disclosure Control, section 5.4.2.
    """

    def protect(self, table: Table, secret: Given = None) -> Table:
        """Round each figure independently."""
        draws, cells = draws_of(secret), np.arange(table.layout.cells)
        figures = {
            name: round_random(values.ravel(), self.base, draws.uniform(cells, name)).reshape(values.shape)
            for name, values in table.figures.items()
        }
        return table.with_figures(figures, told_bounds(figures[table.figure], self._reach(table), table))


class SemiControlledTableRounding(TableRounding):
    """Round inner cells at random so that the total of every row, and of the table, is off by less than the base.

    Margins are the sums of the rounded cells, so that the table adds up. Source: Shlomo's overview of disclosure
    control methods.
    """

    def protect(self, table: Table, secret: Given = None) -> Table:
        """Round by a systematic sample, row by row."""
        inner = tuple(slice(0, -1) for _ in table.layout.shape)
        figures = {}
        for name, values in table.figures.items():
            cells = values[inner]
            lines = np.broadcast_to(np.arange(cells.shape[0]).reshape(-1, *[1] * (cells.ndim - 1)), cells.shape)
            rng = draws_of(secret).generator(name)
            rounded = round_systematic(cells.ravel(), self.base, rng, lines.ravel()).reshape(cells.shape)
            figures[name] = summed(rounded)
        shown = figures[table.figure]
        low, high = told_bounds(shown, self._reach(table), table)
        loose = ~table.layout.is_inner()
        rows = loose.reshape(len(loose), -1)
        rows[:, -1] = False  # the margin of the rows, and the total, are controlled
        return table.with_figures(figures, (np.where(loose, least_figure(table), low), np.where(loose, np.inf, high)))


class ControlledTableRounding(TableRounding):
    """Round a two-way table so that cells, margins and total all go to neighbouring multiples and still add up.

    Source: Cox (1987), controlled random rounding.
    """

    def protect(self, table: Table, secret: Given = None) -> Table:
        """Round cells and margins together."""
        if len(table.layout.names) != 2:
            raise InputError(
                f"Controlled rounding takes a two-way table; this one has {len(table.layout.names)} attributes."
            )
        figures = {}
        for name, values in table.figures.items():
            rounded = round_table(values[:-1, :-1], self.base, draws_of(secret).generator(name))
            figures[name] = summed(rounded.cells)
        return table.with_figures(figures, told_bounds(figures[table.figure], self._reach(table), table))


def summed(cells: Floats) -> Floats:
    """Inner cells with their margins."""
    for axis in range(cells.ndim):
        cells = np.concatenate([cells, cells.sum(axis=axis, keepdims=True)], axis=axis)
    return cells
