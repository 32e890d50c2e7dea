"""Refuse strata that are too small to be masked: a record that cannot be masked is never released silently."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.errors import InputError
from ammg.methods.method import StratifiedMethod


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
