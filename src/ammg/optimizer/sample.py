"""The records that recipes are tried on."""

from __future__ import annotations

import numpy as np

from ammg.data.attribute import Kind
from ammg.data.microdata import Microdata
from ammg.draws import Draws, Secret


def sampled(data: Microdata, records: int, secret: Secret) -> Microdata:
    """At most so many records at random, whole households where there are any."""
    if len(data) <= records:
        return data
    rng = Draws(secret).at("search").generator("sample")
    if data.schema.household is None:
        rows = np.sort(rng.choice(len(data), size=records, replace=False))
    else:
        home = data.table[data.schema.household].rank("dense").fill_null(0).to_numpy()
        sizes = np.bincount(home)
        order = rng.permutation(np.flatnonzero(sizes))
        kept = order[np.cumsum(sizes[order]) <= records]
        rows = np.flatnonzero(np.isin(home, kept if len(kept) else order[:1]))
    return Microdata(data.table[rows], data.schema)


def nonnegative(data: Microdata) -> list[str]:
    """Numbers of which none is negative: no masked one should be."""
    numbers = [a.name for a in data.schema if a.kind & Kind.NUMERIC and data.table[a.name].dtype.is_numeric()]
    return [name for name in numbers if (least := data.table[name].min()) is not None and least >= 0]  # type: ignore[operator]
