"""Strata that are too small for groups, named."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Attribute
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.summaries.summary import Source

SHOWN = 5
"""Strata that a note names one by one."""


def small_strata(source: Source, strata: tuple[str, ...], names: tuple[str, ...], k: int) -> list[str]:
    """A note for each stratum of fewer than 2k records with a value in one of the columns, which is one group.

    Raises:
        InputError: a stratum has fewer than k records.
    """
    if not strata or not source.count():
        return []
    block = source.block((*strata, *names))
    empty = np.all([block.is_missing(name) for name in names], axis=0)
    codes = np.nan_to_num(block.matrix(strata)[~empty], nan=np.inf)  # missing values are one stratum
    values, sizes = np.unique(codes, axis=0, return_counts=True)
    small = np.flatnonzero(sizes < 2 * k)
    for row in small[sizes[small] < k]:
        raise InputError(
            f"k = {k} is larger than the stratum {_label(source.schema, strata, values[row])} of {sizes[row]} records: "
            "lower k, or work within fewer strata."
        )
    notes = [
        f"stratum {_label(source.schema, strata, values[row])} has fewer than 2k = {2 * k} records: "
        f"all {sizes[row]} form one group"
        for row in small[:SHOWN]
    ]
    if len(small) > SHOWN:
        notes.append(f"so do those of {len(small) - SHOWN:,} further strata")
    return notes


def _label(schema: Schema, strata: tuple[str, ...], values: NDArray[np.float64]) -> str:
    return ", ".join(f"{name} = {_shown(schema[name], value)}" for name, value in zip(strata, values, strict=True))


def _shown(attribute: Attribute, value: float) -> str:
    if np.isinf(value):
        return "missing"
    return str(attribute.categories[int(value)]) if attribute.categories is not None else f"{value:g}"
