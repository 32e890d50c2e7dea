"""A table: microdata whose records are cells, margins included."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import Attribute, Kind, Role
from ammg.data.microdata import Microdata
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.tables.layout import Layout
from ammg.tables.moved_cells import added_up, largest_of, moved_cells

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

COUNT, WEIGHTED = "count", "weighted_count"


@dataclass(frozen=True, eq=False)
class Contributors:
    """The contributors behind each cell, for rules and keys: for the owner only, never written to a file."""

    records: Ints
    """Records in each cell; a table of values leaves out records without a value."""
    largest: Floats
    """The largest contributions (absolute, weighted), in descending order along the last axis."""
    total: Floats
    """The sum of all absolute contributions."""
    keys: NDArray[np.uint64] | None = None
    """The sum of the record keys modulo 2^32; None without a secret."""


class Table(Microdata):
    """Cells with their figures; `figure` is the tabulated quantity, `lower` and `upper` are its published bounds.

    A table is microdata, so methods work on it: `Pipeline([RandomRounding(base=5)]).run(table)`, and
    `table.with_figures(masked.table)` turns the result back into a table.
    """

    def __init__(
        self,
        layout: Layout,
        figures: Mapping[str, Floats],
        figure: str,
        contributors: Contributors,
        bounds: tuple[Floats, Floats] | None = None,
    ) -> None:
        """`figures` have the shape of the layout, NaN where a figure is suppressed."""
        frame = layout.frame().with_columns(_series(name, values) for name, values in figures.items())
        dimensions = [
            Attribute(
                name=name,
                kind=Kind.NOMINAL,
                role=Role.KEY,
                categories=layout.lines(name),
                margin=layout.lines(name)[-1],
            )
            for name in layout.names
        ]
        counted = [
            Attribute(
                name=name,
                kind=Kind.INTEGER if frame.schema[name].is_integer() else Kind.CONTINUOUS,
                role=Role.CONFIDENTIAL,
            )
            for name in figures
        ]
        super().__init__(frame, Schema((*dimensions, *counted)))
        self.layout, self.figures, self.figure, self.contributors = layout, dict(figures), figure, contributors
        self.lower, self.upper = bounds or (figures[figure], figures[figure])

    def __repr__(self) -> str:
        sides = " × ".join(f"{name} ({len(self.layout.labels[name])})" for name in self.layout.names)
        return f"Table({self.figure} by {sides})"

    def __str__(self) -> str:
        with pl.Config(tbl_rows=40, tbl_cols=20, tbl_hide_column_data_types=True, tbl_hide_dataframe_shape=True):
            return str(self.to_polars())

    @property
    def values(self) -> Floats:
        """The figures of the table as an array with margins, NaN where suppressed."""
        return self.figures[self.figure]

    def labels(self) -> list[tuple[str, ...]]:
        """The labels of each cell, in the order of the records."""
        return self.layout.frame().cast(pl.String).rows()

    @property
    def is_counted(self) -> bool:
        """Whether the figure is a number of records."""
        return self.figure == COUNT

    def margin(self, *names: str) -> Table:
        """The table of some of its attributes: the margin over all others."""
        if not names:
            raise InputError("A margin needs at least one attribute: name one.")
        kept = [self.layout.axis(name) for name in names]
        place = tuple(slice(None) if axis in kept else -1 for axis in range(len(self.layout.names)))
        chosen = {self.layout.names[axis] for axis in kept}
        layout = Layout(
            tuple(name for name in self.layout.rows if name in chosen),
            tuple(name for name in self.layout.columns if name in chosen),
            {name: labels for name, labels in self.layout.labels.items() if name in chosen},
        )
        who = self.contributors
        part = Contributors(
            who.records[place], who.largest[place], who.total[place], None if who.keys is None else who.keys[place]
        )
        figures = {name: values[place] for name, values in self.figures.items()}
        return Table(layout, figures, self.figure, part, (self.lower[place], self.upper[place]))

    def with_figures(self, figures: Any, bounds: tuple[Floats, Floats] | None = None) -> Table:
        """The same table with other figures: arrays by name, or the records that a method returned.

        If the method changed labels, cells with the same labels are added up and margins recomputed.
        `bounds` are the published bounds of the true figures; without them the figures count as exact.
        """
        if isinstance(figures, pl.DataFrame):
            if len(figures) != self.layout.cells:
                raise InputError(f"{len(figures):,} records were given, but the table has {self.layout.cells:,} cells.")
            if (places := moved_cells(self.layout, figures)) is not None:
                return self._moved(figures, places)
            figures = {
                name: figures[name].cast(pl.Float64).to_numpy().reshape(self.layout.shape) for name in self.figures
            }
        return Table(self.layout, {**self.figures, **figures}, self.figure, self.contributors, bounds)

    def _moved(self, frame: pl.DataFrame, places: Ints) -> Table:
        """The table with its inner cells moved to new places."""
        inner, who = self.layout.is_inner(), self.contributors
        figures = {
            name: added_up(
                frame[name].cast(pl.Float64).fill_null(np.nan).to_numpy()[inner.ravel()], places, self.layout
            )
            for name in self.figures
        }
        contributors = Contributors(
            added_up(who.records[inner], places, self.layout),
            largest_of(who.largest[inner], places, self.layout),
            added_up(who.total[inner], places, self.layout),
            None if who.keys is None else added_up(who.keys[inner], places, self.layout) & np.uint64(2**32 - 1),
        )
        return Table(self.layout, figures, self.figure, contributors)

    def to_polars(self) -> pl.DataFrame:
        """Display form: one row per combination of the row attributes, one column per combination of the others.

        Margins are the last row and the last column; a suppressed figure is missing.
        """
        layout = self.layout
        depth = len(layout.rows)
        heads = Layout(layout.rows, (), {name: layout.labels[name] for name in layout.rows})
        grid = self.values.reshape(int(np.prod(layout.shape[:depth])), -1)
        sides = Layout((), layout.columns, {name: layout.labels[name] for name in layout.columns})
        titles = (
            [" · ".join(row) for row in sides.frame().cast(pl.String).iter_rows()] if layout.columns else [self.figure]
        )
        titles = [title if title not in layout.rows else f"{title} " for title in titles]
        columns = [_series(title, grid[:, place]) for place, title in enumerate(titles)]
        return heads.frame().with_columns(columns) if layout.rows else pl.DataFrame(columns)


def _series(name: str, values: Floats) -> pl.Series:
    """Numbers of a table; integers if all are whole."""
    series = pl.Series(name, np.asarray(values, dtype=np.float64).ravel(), nan_to_null=True)
    seen = series.drop_nulls()
    whole = bool(((seen == seen.floor()) & (seen.abs() < 2**53)).all())
    return series.cast(pl.Int64) if whole else series
