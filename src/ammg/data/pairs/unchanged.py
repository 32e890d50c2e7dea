"""Columns that a release shows unchanged: most columns of most candidates of a search."""

from __future__ import annotations

from ammg.data.pair import Pair


def is_unchanged(pair: Pair, name: str) -> bool:
    """Whether every record is released in its place and the column holds the same values of the same kind.

    False for a recoded column: its categories may look the same and stand for more values.
    """
    return pair.once(("unchanged", name), lambda: _is_unchanged(pair, name))


def _is_unchanged(pair: Pair, name: str) -> bool:
    if not pair.is_linked or name not in pair.masked.schema or not pair.is_in_order:
        return False
    before, after = pair.original.schema[name], pair.masked.schema[name]
    if before.kind is not after.kind or before.categories != after.categories:
        return False
    if pair.recodings(name) or pair.value_sets(name) is not None:
        return False
    first, second = pair.original.table[name], pair.masked.table[name]
    return bool(first.dtype == second.dtype and first.equals(second))
