"""Cell loss: how much of a cell's information is gone, for numbers and categories alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.data.dictionary import match_categories
from ammg.data.pair import Pair
from ammg.data.published import ValueSets
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined
from ammg.measures.measure import Loss
from ammg.measures.measurement import Measurement


class CellLoss(Loss):
    """Mean share of a cell's information that is gone, over all attributes; 0 nothing, 1 everything.

    A number loses |x - z| / (√2·S), at most 1, where z is the middle of an interval. A category loses 1 when it
    changed, and (m - 1)/(L - 1) when it was merged into a class of m of the L categories (Iyengar 2002). A cell that
    was suppressed, or whose record or column was dropped, loses 1: what is withheld is charged, never skipped.
    """

    range = (0.0, 1.0)
    percent = True
    default = True

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
    if (told := pair.value_sets(name)) is not None and name in pair.masked.schema:
        return _of_sets(pair, name, told)
    recoded, released, common = pair.common_codes(name)
    after = np.full(pair.n, -1, dtype=np.int32)
    real = pair.link >= 0
    after[pair.link[real]] = released[real]
    seen = before >= 0
    before, recoded, after = before[seen], recoded[seen], after[seen]
    classes = recoded
    if not pair.recodings(name) and not np.isin(after[after >= 0], recoded).any():
        classes = after  # merged into classes by a step that does not say how
    known = classes >= 0
    together = np.unique(np.stack([before[known], classes[known]]), axis=1)
    merged = np.bincount(together[1], minlength=len(common) + 1) if together.size else np.ones(len(common) + 1)
    loss = np.minimum((merged[after] - 1) / max(len(categories) - 1, 1), 1.0)
    return np.asarray(np.where((after < 0) | (after != classes), 1.0, loss), np.float64)


def _of_sets(pair: Pair, name: str, told: ValueSets) -> NDArray[np.float64]:
    """Categories that were recoded locally: by the size of what each stands for, 1 where it does not hold the truth."""
    before, categories = pair.codes(name, masked=False)
    recoded, values = pair.recoded(name)
    released, shown = pair.codes(name, masked=True)
    after = np.full(pair.n, -1, dtype=np.int32)
    real = pair.link >= 0
    after[pair.link[real]] = np.append(match_categories(shown, told.after), np.int32(-1))[released[real]]
    seen = before >= 0
    recoded, after = recoded[seen], after[seen]
    loss = np.minimum((told.sizes() - 1) / max(len(categories) - 1, 1), 1.0)
    held = told.holding(values)[after, recoded] & (after >= 0) & (recoded >= 0)
    return np.asarray(np.where(held, loss[after], 1.0), np.float64)
