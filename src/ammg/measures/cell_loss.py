"""Cell loss: how much of a cell's information is gone, for numbers and categories alike."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.measure import Measure, Measurement


class CellLoss(Measure):
    """Mean share of a cell's information that is gone, over all attributes; 0 nothing, 1 everything.

    A number loses |x - z| / (√2·S), at most 1. A category loses 1 when it changed, and (m - 1)/(L - 1) when it was
    merged into a class of m of the L categories (Iyengar 2002). A cell that was suppressed, or whose record or
    column was dropped, loses 1: what is withheld is charged, never skipped.
    """

    family: ClassVar[Literal["risk", "loss"]] = "loss"
    percent: ClassVar[bool] = True

    def measure(self, pair: Pair, scenario: Scenario) -> Measurement:
        """Average over attributes."""
        names = pair.analysed()
        if not names or not pair.n:
            raise NotDefined("no attribute to compare")
        numeric = set(pair.numeric(names))
        by_column = {}
        for name in names:
            if not pair.original.schema[name].is_categorical and name not in numeric:
                continue
            cells = _of_numbers(pair, name) if name in numeric else _of_categories(pair, name)
            if len(cells):
                by_column[name] = float(cells.mean())
        if not by_column:
            raise NotDefined("no attribute to compare")
        return Measurement(value=sum(by_column.values()) / len(by_column), by_column=by_column)


def _of_numbers(pair: Pair, name: str) -> NDArray[np.float64]:
    original, masked = (side[:, 0] for side in pair.aligned([name]))
    seen = ~np.isnan(original)
    original, masked = original[seen], masked[seen]
    spread = float(original.std(ddof=1)) if len(original) > 1 else 0.0
    scale = np.sqrt(2) * spread
    change = np.abs(original - masked)
    loss = np.minimum(change / scale, 1.0) if scale > 0 else (change > 0).astype(np.float64)
    return np.asarray(np.where(np.isnan(masked), 1.0, loss), np.float64)


def _of_categories(pair: Pair, name: str) -> NDArray[np.float64]:
    before, categories = pair.codes(name, masked=False)
    after = np.full(pair.n, -1, dtype=np.int32)
    others: tuple[Any, ...] = categories
    if name in pair.masked.schema:
        released, others = pair.codes(name, masked=True)
        real = pair.link >= 0
        after[pair.link[real]] = released[real]
    seen = before >= 0
    before, after = before[seen], after[seen]
    if others == categories:
        return np.asarray(before != after, np.float64)
    together = np.unique(np.stack([before[after >= 0], after[after >= 0]]), axis=1)
    merged = np.bincount(together[1], minlength=len(others) + 1) if together.size else np.ones(len(others) + 1)
    loss = (merged[after] - 1) / max(len(categories) - 1, 1)
    return np.asarray(np.where(after < 0, 1.0, np.minimum(loss, 1.0)), np.float64)
