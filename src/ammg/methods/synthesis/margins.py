"""The distribution of a column within groups of records, from which artificial values are drawn."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.methods.synthesis.units import Units

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Margin(NamedTuple):
    """Real records in the order of their groups and values."""

    group: Ints
    """The group of each real record."""
    order: Ints
    """Records by group and value."""
    ends: Floats
    """Cumulative mass of those, from 0 to 1 within each group, plus the number of the group."""

    @classmethod
    def of(cls, values: Floats, group: Ints, among: Ints, weights: Floats | None = None) -> Margin:
        """The margin of a column over the records `among`; missing values are one value, the last."""
        from ammg.kernels.orders import lexical_order, stable_order

        if not group.any():
            order = among[stable_order(values[among])]
            return cls(group, order, _shares(np.ones(len(order)) if weights is None else weights[order]))
        order = among[lexical_order([group[among], values[among]], len(among))[0]]
        of = group[order]
        mass = np.ones(len(order)) if weights is None else weights[order].astype(np.float64)
        totals = np.bincount(of, mass, minlength=int(group.max()) + 1)
        mass = np.where(totals[of] > 0, mass, 1.0)  # a group without weight counts its records
        totals = np.bincount(of, mass, minlength=len(totals))
        before = np.cumsum(totals) - totals
        ends = np.clip((np.cumsum(mass) - before[of]) / totals[of], 0.0, 1.0)
        last = np.append(np.flatnonzero(np.diff(of)), len(order) - 1)
        ends[last] = 1.0
        return cls(group, order, ends + of)

    def positions(self, templates: Ints, chance: Floats) -> Ints:
        """The real record at the quantile `chance` of the group to which each template belongs."""
        wanted = self.group[templates] + np.minimum(chance, 1 - 1e-12)
        return np.asarray(self.order[np.searchsorted(self.ends, wanted, side="right")])


def _shares(mass: Floats) -> Floats:
    """Cumulative shares, up to 1; without mass, those of equal ones."""
    ends = np.cumsum(mass)
    if len(ends) and not ends[-1] > 0:
        ends = np.arange(1.0, len(mass) + 1)
    ends /= ends[-1:].copy()
    np.clip(ends, 0.0, 1.0, out=ends)
    ends[-1:] = 1.0
    return ends


def margin_groups(units: Units) -> dict[bool, tuple[Ints, Ints]]:
    """Groups within which a column has its margin, and the records that count.

    Columns of a household (True): by size, one record per household. Columns of persons: by place in the household.
    """
    everybody = np.arange(len(units.records))
    sizes = np.unique(units.sizes, return_inverse=True)[1].astype(np.int64)
    return {True: (sizes[units.of_record], units.heads), False: (units.places, everybody)}
