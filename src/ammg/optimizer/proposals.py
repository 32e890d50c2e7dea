"""Hierarchies for keys that have none, so that the search can recode them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ammg.analyzer.hierarchies import propose_hierarchies
from ammg.analyzer.likeness import merge_alike
from ammg.data.microdata import Microdata
from ammg.errors import InputError

Tree = str | Mapping[str, list[str]]
"""A rule such as "by widths 5, 10, 20", or the levels of each value."""


def proposed_rules(data: Microdata, names: Collection[str]) -> dict[str, Tree]:
    """A hierarchy for each of these columns that has none and could have one.

    Unordered categories are merged by likeness in the other columns: classes of similar size lose less than keeping
    the most frequent categories, and mean more.
    """
    rules = {name: _proposed(data, name, rule, names) for name, rule in propose_hierarchies(data, names).items()}
    return {name: rule for name, rule in rules.items() if _fits(data, name, rule)}


def _proposed(data: Microdata, name: str, rule: str, names: Collection[str]) -> Tree:
    merged = merge_alike(data, name, names) if rule.startswith("by frequency") and data.streamed is None else {}
    return merged or rule


def _fits(data: Microdata, name: str, rule: Tree) -> bool:
    try:
        data.with_hierarchies({name: rule})
    except InputError:
        return False
    return True
