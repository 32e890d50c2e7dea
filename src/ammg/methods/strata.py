"""The strata of a file: too small ones are refused if they cannot be masked, and reported if they form one group.

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
from ammg.summaries.cells import CellCounts, CellValues
from ammg.summaries.summary import Source

SHOWN = 5
"""Strata that a note names one by one."""


def refuse_small_strata(
    method: StratifiedMethod, names: Sequence[str], block: Block, positions: Sequence[NDArray[np.int64]]
) -> None:
    """Stop if a stratum has values of a column, but fewer than the method needs to change them.

    `positions` are those of the records of each stratum; the whole file is one stratum without `within`.
    """
    if not len(block) or not names:
        return
    order = np.concatenate(positions) if len(positions) > 1 else slice(None)
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
    cells = source.fold(_StrataWithValues(strata, names))
    last = np.where(cells.codes < 0, np.iinfo(np.int32).max, cells.codes)  # missing values come last
    order = np.lexsort(last.T[::-1])
    small = order[cells.counts[order] < 2 * k]
    for row in small[cells.counts[small] < k]:
        raise InputError(
            f"k = {k} is larger than the stratum {_label(source.schema, strata, cells, row)} of "
            f"{cells.counts[row]} records: lower k, or use fewer strata."
        )
    notes = [
        f"stratum {_label(source.schema, strata, cells, row)} has fewer than 2k = {2 * k} records: "
        f"all {cells.counts[row]} form one group"
        for row in small[:SHOWN]
    ]
    if len(small) > SHOWN:
        notes.append(f"so do the records of {len(small) - SHOWN:,} more strata")
    return notes


def _sentence(method: StratifiedMethod, name: str, counts: NDArray[np.int64], small: NDArray[np.bool_]) -> str:
    values = int(counts[small].sum())
    many = f"{values:,} value{'' if values == 1 else 's'}"
    if not method.within:
        return f"'{name}' has {many} to mask, but {method.name} needs {method.fewest}: leave the column out."
    few, way = f"fewer than {method.fewest} values", ", or lower `least`"
    if method.fewest == 2:
        few, way = "one value", ""
    return (
        f"{int(small.sum()):,} of {len(counts):,} strata by {', '.join(method.within)} have {few} of "
        f"'{name}' ({many} in all) and cannot be masked by {method.name}: name fewer columns in "
        f"`within`, or recode them first{way}."
    )


class _StrataWithValues(CellCounts):
    """The strata, and how many of their records have a value in one of some columns."""

    def __init__(self, strata: tuple[str, ...], names: tuple[str, ...]) -> None:
        super().__init__(strata)
        self.names = names
        self.columns = tuple(dict.fromkeys((*strata, *names)))

    def add(self, block: Block) -> tuple[CellValues, ...]:
        empty = np.all([block.is_missing(name) for name in self.names], axis=0)
        return super().add(block.take(~empty))


def _label(schema: Schema, strata: tuple[str, ...], cells: CellValues, row: int) -> str:
    return ", ".join(
        f"{name} = {_shown(schema[name], code, numbers)}"
        for name, code, numbers in zip(strata, cells.codes[row], cells.numbers, strict=True)
    )


def _shown(attribute: Attribute, code: int, numbers: NDArray[np.float64] | None) -> str:
    if code < 0:
        return "missing"
    if attribute.categories is not None:
        return str(attribute.categories[code])
    return f"{code if numbers is None else numbers[code]:g}"
