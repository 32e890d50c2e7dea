"""Cell loss: how much information a cell loses, for numbers and categories alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import match_categories
from ammg.data.pair import Pair
from ammg.data.pairs.unchanged import is_unchanged
from ammg.data.published import ValueSets
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.kernels.loss.cell_changes import CappedChange
from ammg.kernels.loss.tables import filled_cells
from ammg.kernels.threads import in_threads
from ammg.measures.loss.numbers.moment_loss import FoldedComparison
from ammg.measures.loss.tables.comparison import MOST_CELLS
from ammg.measures.loss.tables.folded_tables import FoldedTables
from ammg.measures.loss.tables.tables_in_memory import TablesInMemory
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement
from ammg.params import param
from ammg.summaries.folded_pair import FoldedPair
from ammg.summaries.pair_numbers import PairCells

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class CellLoss(Loss):
    """Mean share of the information in a cell that is lost, over all attributes: 0 nothing, 1 everything.

    A number loses |x - z| / (√2·S), at most 1, where z is the released value or the midpoint of the released interval.
    A category loses 1 if it changed, and (m - 1)/(L - 1) if it was merged into a class of m of the L categories
    (Iyengar 2002). A cell that was suppressed, or whose record or column was dropped, loses 1: withheld values count as
    lost, never as skipped.
    """

    range = (0.0, 1.0)
    percent = True
    over: Literal["mean", "worst"] = param(
        "mean",
        "Average over attributes, or take the attribute that lost most; a limit on the latter protects "
        "every attribute.",
    )

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average over attributes."""
        numbers, categories = _comparable(pair)
        names = (*numbers, *categories)

        def lost(name: str) -> float | None:
            return _of_numbers(pair, name) if name in numbers else _of_categories(pair, name)

        return self._together(pair, dict(zip(names, in_threads(lost, names, 2 * pair.n * len(names)), strict=True)))

    def fold(self, pair: FoldedPair, scenario: Scenario) -> Measurement | None:
        """Average chunk by chunk, where the dictionaries of all attributes with categories are short."""
        numbers, categories = _comparable(pair)
        shown = pair.released_schema
        if any(name in shown and not shown[name].is_categorical for name in categories):
            return None
        if any(len(pair.original.dictionary(name)) ** 2 > MOST_CELLS for name in categories):
            return None
        return self._together(pair, _of_folded_numbers(pair, numbers) | _of_folded_categories(pair, categories))

    def _together(self, pair: Pair | FoldedPair, found: dict[str, float | None]) -> Measurement:
        by_column = {name: value for name in pair.analysed() if (value := found.get(name)) is not None}
        if not by_column:
            raise NotDefined("no attribute to compare")
        values = by_column.values()
        value = max(values) if self.over == "worst" else sum(values) / len(values)
        return Measurement(value=value, by_column=by_column)


def _comparable(pair: Pair) -> tuple[tuple[str, ...], tuple[str, ...]]:
    names, schema = pair.analysed(), pair.original.schema
    if not names or not pair.n:
        raise NotDefined("no attribute to compare")
    numbers = tuple(name for name in names if schema[name].is_numeric)
    return numbers, tuple(name for name in names if name not in numbers and schema[name].is_categorical)


def _of_numbers(pair: Pair, name: str) -> float | None:
    if is_unchanged(pair, name):
        return None if pair.original.table[name].null_count() == pair.n else 0.0
    found = pair.original_profile(name)
    if not found.observed:
        return None
    scale = np.array(np.sqrt(2) * found.sd if found.observed > 1 else 0.0)
    sums = CappedChange(scale).sums(pair.original_column(name), pair.aligned_column(name))
    return sums.total / sums.defined


def _of_folded_numbers(pair: FoldedPair, names: tuple[str, ...]) -> dict[str, float | None]:
    if not names:
        return {}
    moments = pair.once((FoldedComparison, names), lambda: FoldedComparison(names, pair)).before
    scale = np.sqrt(2 * np.nan_to_num(np.diag(moments.cov)))
    shown = tuple(name for name in names if name in pair.released_schema)
    found = pair.fold(PairCells(names, shown, CappedChange(scale)))
    each = zip(names, found.sums, found.defined, strict=True)
    return {name: float(total / count) if count else None for name, total, count in each}


def _of_categories(pair: Pair, name: str) -> float | None:
    if is_unchanged(pair, name):
        return None if pair.original.table[name].null_count() == pair.n else 0.0
    coded = TablesInMemory((name,), pair, 10, weighted=False).coded(name)
    released = np.full(pair.n, -1, dtype=np.int32)
    real = pair.link >= 0
    released[pair.link[real]] = coded.after[real]
    rows, columns, counts = filled_cells(coded.before, released, coded.size, coded.classes)
    cells = _Cells(rows, columns, counts.astype(np.float64), coded.own, coded.classes)
    told = pair.value_sets(name) if name in pair.masked.schema else None
    return _lost(cells, told, pair.common_codes(name)[2] if told else (), coded.named)


def _of_folded_categories(pair: FoldedPair, names: tuple[str, ...]) -> dict[str, float | None]:
    if not names:
        return {}
    tables = pair.once((FoldedTables, names, (), False), lambda: FoldedTables(names, pair, (), weighted=False))
    found = {}
    for name in names:
        joint, own, classes = tables.joint(name)
        rows, columns = np.nonzero(joint[:-1])
        cells = _Cells(rows, columns, joint[rows, columns], own, len(classes))
        told = pair.value_sets(name) if name in pair.released_schema else None
        found[name] = _lost(cells, told, classes, bool(pair.recodings(name)))
    return found


@dataclass(frozen=True, eq=False)
class _Cells:
    """How many originals of each category (rows) are released in each class (columns; the last if they are gone)."""

    rows: Ints
    columns: Ints
    counts: Floats
    own: Ints
    """The class that stands for each category."""
    classes: int


def _lost(cells: _Cells, told: ValueSets | None, names: tuple[Any, ...], named: bool) -> float | None:
    if not len(cells.rows):
        return None
    shown = cells.columns < cells.classes
    own = cells.own[cells.rows]
    most = max(len(cells.own) - 1, 1)
    if told is not None:
        sets = np.append(match_categories(names, told.after), np.int32(-1))[cells.columns]
        holds = told.holding(names)[sets, own] & (sets >= 0) & (own >= 0)
        loss = np.minimum((told.sizes()[sets] - 1) / most, 1.0)
    else:
        holds = shown & (cells.columns == own)
        if not named and not np.isin(cells.columns[shown], own).any():
            holds, own = shown, cells.columns  # merged into classes by a step that does not say how
        known = (own >= 0) & (own < cells.classes)
        together = np.unique(cells.rows[known] * (cells.classes + 1) + own[known])
        merged = np.bincount(together % (cells.classes + 1), minlength=cells.classes + 1)
        loss = np.minimum((merged[cells.columns] - 1) / most, 1.0)
    return float((np.where(holds, loss, 1.0) * cells.counts).sum() / cells.counts.sum())
