"""What an intruder can derive about cells from the margins and from the description of the protection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.errors import InputError
from ammg.progress import tick
from ammg.tables.rules import failing
from ammg.tables.table import COUNT, Table

Floats = NDArray[np.float64]

MOST = 2000
"""Most sensitive cells for which bounds are computed, with two linear programs each."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """What can be derived about the sensitive cells of a protected table."""

    cells: pl.DataFrame
    """One row per sensitive cell: labels, `true`, `lower`, `upper`, and whether it is `bounded` within p percent."""
    p: float

    @property
    def sensitive(self) -> int:
        """Number of sensitive cells."""
        return len(self.cells)

    @property
    def exact(self) -> int:
        """Those that the intruder knows exactly."""
        return int((self.cells["upper"] - self.cells["lower"] < 1e-6).sum())

    @property
    def bounded(self) -> int:
        """Those that the intruder can estimate to within p percent with certainty."""
        return int(self.cells["bounded"].sum())

    def __repr__(self) -> str:
        return (
            f"Bounds({self.sensitive} sensitive cells: {self.bounded} bounded within {self.p:g} %, "
            f"{self.exact} of them known exactly)"
        )


def bound_cells(true: Table, shown: Table, rules: Iterable[Any], p: float = 10.0) -> Bounds:
    """Bound each sensitive cell by linear programs over all true tables that fit what is shown.

    Cells are sensitive if they fail one of the rules. All true tables add up along every attribute, and every figure
    lies within the published bounds of the protection (`shown.lower`, `shown.upper`). The solver is HiGHS. Bounds of
    counts are rounded inwards to whole numbers.
    """
    if true.layout.shape != shown.layout.shape:
        raise InputError("The two tables have different shapes: give a table and its protected version.")
    if not p > 0:
        raise InputError(f"p is {p:g} percent: give a positive number.")
    cells = np.flatnonzero(failing(true, rules).ravel())
    if len(cells) > MOST:
        raise InputError(f"{len(cells):,} cells are sensitive, but at most {MOST:,} can be bounded: merge categories.")
    lower, upper = _bounds(shown, cells)
    if true.figure == COUNT:
        lower, upper = np.ceil(lower - 1e-6), np.floor(upper + 1e-6)
    value = true.values.ravel()[cells]
    near = (upper - lower) / 2 <= p / 100 * np.abs(value) + 1e-9
    found = (
        true.layout.frame()
        .cast(pl.String)[cells]
        .with_columns(true=pl.Series(value), lower=pl.Series(lower), upper=pl.Series(upper), bounded=pl.Series(near))
    )
    return Bounds(found, p)


def _bounds(shown: Table, cells: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """The smallest and largest possible figure of some cells."""
    import scipy.optimize

    solve: Any = scipy.optimize.linprog  # its type stubs do not accept sparse equations
    lower, upper = shown.lower.ravel().astype(np.float64), shown.upper.ravel().astype(np.float64)
    free = np.flatnonzero(upper > lower)
    place = np.full(len(lower), -1)
    place[free] = np.arange(len(free))
    equations, constants = _sums(shown, place, np.where(place >= 0, 0.0, lower))
    low, high = lower[cells].copy(), upper[cells].copy()
    limits = np.column_stack([lower[free], upper[free]])
    for number, cell in enumerate(cells.tolist()):
        tick(number, len(cells), "bounding cells")
        if place[cell] < 0:
            continue
        cost = np.zeros(len(free))
        for sign, ends in ((1.0, low), (-1.0, high)):
            cost[place[cell]] = sign
            solved = solve(cost, A_eq=equations, b_eq=constants, bounds=limits, method="highs")
            if solved.status == 0:
                ends[number] = sign * solved.fun
            elif solved.status == 2:
                raise InputError("No table fits these figures: the margins contradict the cells and their bounds.")
    return low, high


def _sums(shown: Table, place: NDArray[np.int64], known: Floats) -> tuple[Any, Floats]:
    """Σ of a line - its margin = 0, for every line along every attribute that has an unknown cell."""
    from scipy.sparse import coo_matrix

    shape = shown.layout.shape
    number = np.arange(len(place)).reshape(shape)
    rows, columns, signs, constants = [], [], [], []
    start = 0
    for axis in range(len(shape)):
        lines = np.moveaxis(number, axis, -1).reshape(-1, shape[axis])
        sign = np.append(np.ones(shape[axis] - 1), -1.0)
        open_here = (place[lines] >= 0).any(axis=1)
        lines = lines[open_here]
        constants.append(-(known[lines] * sign).sum(axis=1))
        line, along = np.nonzero(place[lines] >= 0)
        rows.append(start + line)
        columns.append(place[lines[line, along]])
        signs.append(sign[along])
        start += len(lines)
    size = (start, int(place.max(initial=-1)) + 1)
    if not start:
        return None, np.zeros(0)
    entries = (np.concatenate(signs), (np.concatenate(rows), np.concatenate(columns)))
    return coo_matrix(entries, shape=size).tocsr(), np.concatenate(constants)
