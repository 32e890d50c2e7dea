"""The strata of a file: those too small are refused where they cannot be masked, named where they form one group.

A record that cannot be masked is never released silently.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.data.attribute import Attribute
from ammg.data.block import Block
from ammg.data.schema import Schema
from ammg.errors import InputError
from ammg.methods.method import StratifiedMethod
from ammg.summaries.group_moments import groups_of
from ammg.summaries.summary import Source

SHOWN = 5
"""Strata that a note names one by one."""


def rows_of_strata(block: Block, strata: tuple[str, ...]) -> list[NDArray[np.int64]]:
    """Positions of the records of each stratum; missing values are a stratum, and without `strata` the file is one."""
    if not strata or not len(block):
        return [np.arange(len(block))]
    label = groups_of(block, strata)[1]
    order = np.argsort(label, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(label[order])) + 1)


def refuse_small_strata(
    method: StratifiedMethod, names: Sequence[str], block: Block, positions: Sequence[NDArray[np.int64]]
) -> None:
    """Stop if a stratum has values of a column, but fewer than the method needs to change them.

    `positions` are those of the records of each stratum; the whole file is one stratum without `within`.
    """
    if not len(block) or not names:
        return
    order = np.concatenate(positions)
    starts = np.cumsum([0, *(len(rows) for rows in positions[:-1])])
    for name in names:
        counts = np.add.reduceat(method.to_mask(block, name)[order].astype(np.int64), starts)
        small = (counts > 0) & (counts < method.fewest)
        if small.any():
            raise InputError(_sentence(method, name, counts, small))


def note_small_strata(source: Source, strata: tuple[str, ...], names: tuple[str, ...], k: int) -> list[str]:
    """A note for each stratum of fewer than 2k records with a value in one of the columns, which is one group.

    Raises:
        InputError: a stratum has fewer than k records.
    """
    if not strata or not source.count():
        return []
    block = source.block((*strata, *names))
    empty = np.all([block.is_missing(name) for name in names], axis=0)
    values, label = groups_of(block, strata)
    sizes = np.bincount(label[~empty], minlength=len(values))
    small = np.flatnonzero((sizes > 0) & (sizes < 2 * k))
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


def _sentence(method: StratifiedMethod, name: str, counts: NDArray[np.int64], small: NDArray[np.bool_]) -> str:
    values = int(counts[small].sum())
    many = f"{values:,} value{'' if values == 1 else 's'}"
    if not method.within:
        return f"'{name}' has {many} to mask and {method.name} needs {method.fewest}: leave the column out."
    few, way = f"fewer than {method.fewest} values", ", or lower `least`"
    if method.fewest == 2:
        few, way = "one value", ""
    return (
        f"{int(small.sum()):,} of {len(counts):,} strata by {', '.join(method.within)} have {few} of '{name}' "
        f"({many} in all) and cannot be masked by {method.name}: name fewer columns in `within`, or recode them more "
        f"coarsely first{way}."
    )


def _label(schema: Schema, strata: tuple[str, ...], values: NDArray[np.float64]) -> str:
    return ", ".join(f"{name} = {_shown(schema[name], value)}" for name, value in zip(strata, values, strict=True))


def _shown(attribute: Attribute, value: float) -> str:
    if np.isinf(value):
        return "missing"
    return str(attribute.categories[int(value)]) if attribute.categories is not None else f"{value:g}"
