"""Table cells whose labels a method changed, as PRAM does: cells with the same labels are added up, with margins."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.errors import InputError
from ammg.tables.layout import Layout

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def moved_cells(layout: Layout, frame: pl.DataFrame) -> Ints | None:
    """The place of each inner cell by its new labels; None if no label changed.

    Raises:
        InputError: a label does not belong to an inner line of the table.
    """
    before = layout.frame()
    if all(name in frame.columns and _texts(frame, name).equals(_texts(before, name)) for name in layout.names):
        return None
    inner = pl.Series(layout.is_inner().ravel())
    codes = []
    for name in layout.names:
        if name not in frame.columns:
            raise InputError(f"The cells have lost the column '{name}': keep it in the table.")
        lines = pl.Series(layout.labels[name], dtype=pl.String)
        found = _texts(frame, name).filter(inner)
        places = found.replace_strict(lines, pl.Series(range(len(lines)), dtype=pl.Int64), default=-1)
        if (places < 0).any():
            strange = found.filter(places < 0)[0]
            raise InputError(f"'{name}' has the label '{strange}', which the table does not have: keep its categories.")
        codes.append(places.cast(pl.Int64).to_numpy())
    return np.asarray(np.ravel_multi_index(tuple(codes), layout.shape))


def added_up(values: NDArray[Any], places: Ints, layout: Layout) -> NDArray[Any]:
    """The sums of inner cells at their places, with margins."""
    cells = np.zeros(layout.cells, dtype=values.dtype)
    np.add.at(cells, places, values)
    return with_margins(cells.reshape(layout.shape))


def with_margins(cells: NDArray[Any]) -> NDArray[Any]:
    """Cells whose last place along every axis is the sum of the others."""
    for axis in range(cells.ndim):
        line = np.moveaxis(cells, axis, 0)
        line[-1] = line[:-1].sum(axis=0)
    return cells


def largest_of(largest: Floats, places: Ints, layout: Layout) -> Floats:
    """The largest contributions of cells and margins, the largest first along the last axis."""
    most = largest.shape[-1]
    cells = np.zeros((layout.cells, most))
    order = np.argsort(places, kind="stable")
    starts = np.flatnonzero(np.diff(places[order], prepend=-1))
    for number in range(int(np.diff(np.append(starts, len(order))).max(initial=0))):
        here = starts + number
        here = here[(here < len(order)) & (here < np.append(starts[1:], len(order))[: len(starts)])]
        target = places[order[here]]
        cells[target] = -np.sort(-np.concatenate([cells[target], largest[order[here]]], axis=1), axis=1)[:, :most]
    return with_largest_margins(cells.reshape(*layout.shape, most))


def with_largest_margins(cells: Floats) -> Floats:
    """Cells whose last place along every axis but the last has the largest contributions of the others."""
    most = cells.shape[-1]
    for axis in range(cells.ndim - 1):
        line = np.moveaxis(cells, axis, 0)
        together = np.moveaxis(line[:-1], 0, -1).reshape(*line.shape[1:-1], -1)
        line[-1] = -np.sort(-together, axis=-1)[..., :most] if together.shape[-1] >= most else 0.0
    return cells


def _texts(frame: pl.DataFrame, name: str) -> pl.Series:
    return frame[name].cast(pl.String)
