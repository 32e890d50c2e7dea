"""Families that recode what groups of look-alikes share before the groups are formed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ammg.data.schema import Schema
from ammg.methods.method import Method
from ammg.optimizer.options import Family, Option


def coarser_strata(
    option: Option, schema: Schema, units: Sequence[type[Method]], kept: Collection[str] = ()
) -> Iterator[Family]:
    """The option behind a recoding of the columns its groups share: one family for every second level, coarse first.

    Groups are formed within strata: 18 regions leave few people to choose look-alikes from, five leave many. The last
    level, at which nothing is left of a column, is left out, and so are the columns to be `kept` as they are.
    """
    shared = [name for name in option.usable.get("within", ()) if name not in kept]
    recoding = next((unit for unit in units if unit.recodes and "level" in unit.model_fields), None)
    trees = {name: tree for name in shared if (tree := schema[name].hierarchy) is not None}
    highest = max((tree.height - 1 for tree in trees.values()), default=0)
    if recoding is None or len(trees) < len(shared):
        return
    for level in range(highest, 0, -2):
        by_level: dict[int, list[str]] = {}
        for name, tree in trees.items():
            by_level.setdefault(min(level, tree.height - 1), []).append(name)
        recoded = [
            Option(recoding, tuple(names), {"groups": None, "level": own}) for own, names in by_level.items() if own
        ]
        yield (*recoded, option)
