"""Groups of columns that the limits look at apart: each is solved by itself before their recipes are combined."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ammg.pipeline.limits import Limit


@dataclass(frozen=True)
class Group:
    """Columns that some limits look at, and the labels of these limits."""

    columns: frozenset[str]
    labels: tuple[str, ...]


def groups_of(limits: Mapping[str, Limit], known: Collection[str], untouched: Collection[str] = ()) -> list[Group]:
    """The columns that the limits on risks look at, those in common joined; limits on losses belong to every group.

    A measure that names its `columns` looks at these, any other at what the intruder knows.
    """
    groups: list[Group] = []
    losses = tuple(label for label, limit in limits.items() if limit.measure.family == "loss")
    for label, limit in limits.items():
        if limit.measure.family == "loss":
            continue
        columns = frozenset(getattr(limit.measure, "columns", None) or known) - set(untouched)
        joined = [group for group in groups if group.columns & columns]
        labels = (*(name for group in joined for name in group.labels), label)
        merged = Group(columns.union(*(group.columns for group in joined)), labels)
        groups = [*(group for group in groups if group not in joined), merged]
    return [Group(group.columns, (*losses, *group.labels)) for group in groups if group.columns]
