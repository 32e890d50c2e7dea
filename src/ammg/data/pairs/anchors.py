"""Reference releases without any information: a loss is divided by theirs to become a score between 0 and 1."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ammg.data.attribute import STRUCTURAL, Role
from ammg.data.microdata import Microdata
from ammg.data.pair import Pair

AnchorKind = Literal["permutation", "constant"]

_SEED = 2003  # scores must be reproducible; nothing here is secret


def anchored(pair: Pair, kind: AnchorKind) -> Pair:
    """The pair's original beside the reference release of that kind, made once for all measures of the pair."""
    make = permuted if kind == "permutation" else constant
    return pair.once(("anchor", kind), lambda: make(pair.original))


def canonical_order(data: Microdata) -> NDArray[np.int64]:
    """Positions of the records in the order of their values, whatever the order of records and columns in the file."""
    table = data.table
    return table.select(pl.arg_sort_by(sorted(table.columns))).to_series().to_numpy().astype(np.int64)


def permuted(original: Microdata) -> Pair:
    """The original beside itself with every column permuted independently: margins are kept, all else is lost.

    The permutation starts from the records in the order of their values, so that the order of the file and the unit of
    a column make no difference.
    """
    names = sorted(_analysed(original))
    table = original.table
    if not names or not table.height:
        return Pair.identity(original)
    order = canonical_order(original)
    rng = np.random.default_rng(_SEED)
    back = np.empty(len(order), dtype=np.int64)
    back[order] = np.arange(len(order))
    moved = [table[name].gather(order[rng.permutation(len(order))][back]) for name in names]
    return _beside(original, moved)


def constant(original: Microdata) -> Pair:
    """The original beside itself with every number set to its minimum and every category to the most frequent one."""
    columns = [
        pl.Series(name, [_one(original, name)] * len(original), dtype=original.table.schema[name], strict=False)
        for name in _analysed(original)
    ]
    return _beside(original, columns)


def _one(original: Microdata, name: str) -> Any:
    observed = original.table[name].drop_nulls()
    if original.schema[name].is_numeric or not len(observed):
        return observed.min()
    return observed.mode().sort()[0]


def _analysed(original: Microdata) -> list[str]:
    return [a.name for a in original.schema if a.role not in STRUCTURAL | {Role.IDENTIFIER}]


def _beside(original: Microdata, columns: list[pl.Series]) -> Pair:
    released = Microdata(original.table.with_columns(columns), original.schema)
    return Pair(original, released, np.arange(len(original)))
