"""Non-uniform entropy: what merging categories costs, given how frequent they are."""

from __future__ import annotations

import numpy as np

from ammg.errors import NotDefined
from ammg.measures.loss.tables.comparison import Floats, TableComparison
from ammg.measures.loss.tables.table_loss import CategoryLoss
from ammg.measures.measurement import Measurement


class NonUniformEntropy(CategoryLoss):
    """Share of the information that is lost by merging categories into classes; rare categories lose more.

    A record loses -log₂ of its category's share in the released class; if its value was suppressed or changed to
    another class, it loses -log₂ of the category's share in the file. The fact `bits` is the sum over all cells, as in
    ARX. Source: Gionis and Tassa (2009).
    """

    range = (0.0, 1.0)
    percent = True

    def of(self, tables: TableComparison) -> Measurement:
        """Add up over attributes."""
        found = {name: _bits(tables, name) for name in tables.countable()}
        most = sum(whole for _, whole in found.values())
        if most <= 0:
            raise NotDefined("no attribute to compare has more than one category")
        lost = sum(bits for bits, _ in found.values())
        by_column = {name: bits / whole for name, (bits, whole) in found.items() if whole > 0}
        return Measurement(min(1.0, lost / most), by_column=by_column, facts={"bits": lost})


def _bits(tables: TableComparison, name: str) -> tuple[float, float]:
    """What is lost, and what could be."""
    made = tables.transition(name)
    records = made.observed.sum(axis=1)
    known = made.own >= 0
    classes = np.bincount(made.own[known], records[known], made.joint.shape[1] - 1).astype(np.float64)
    everything = records * _minus_log(records, np.full(len(records), records.sum()))
    inside = np.zeros(len(records))
    inside[known] = made.observed[np.flatnonzero(known), made.own[known]]
    merged = np.zeros(len(records))
    merged[known] = _minus_log(records[known], classes[made.own[known]])
    lost = inside * merged + (records - inside) * _minus_log(records, np.full(len(records), records.sum()))
    return float(lost.sum()), float(everything.sum())


def _minus_log(part: Floats, whole: Floats) -> Floats:
    share = np.divide(part, whole, out=np.ones_like(part), where=(whole > 0) & (part > 0))
    return np.asarray(-np.log2(share))
