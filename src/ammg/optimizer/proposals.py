"""Hierarchies for keys that have none, so that the search can recode them."""

from __future__ import annotations

from collections.abc import Collection

from ammg.analyzer.hierarchies import propose_hierarchies
from ammg.data.microdata import Microdata
from ammg.errors import InputError


def proposed_rules(data: Microdata, names: Collection[str]) -> dict[str, str]:
    """The rule, such as "by widths 5, 10, 20", for each of these columns that has no hierarchy and could have one."""
    rules = propose_hierarchies(data, names)
    return {name: rule for name, rule in rules.items() if _fits(data, name, rule)}


def _fits(data: Microdata, name: str, rule: str) -> bool:
    try:
        data.with_hierarchies({name: rule})
    except InputError:
        return False
    return True
