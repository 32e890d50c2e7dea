"""Groups of similar records, joined where one of them breaks a criterion."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.errors import InputError
from ammg.methods.recoding.class_criteria import ClassCriteria

if TYPE_CHECKING:
    from ammg.kernels.recoding.key_spans import KeySpans

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]


class Grouped(NamedTuple):
    """`counts[i]` records of cell `cells[i]` are in group `groups[i]`; sorted by cell."""

    cells: Ints
    groups: Ints
    counts: Ints


def joined_until_met(
    tested: ClassCriteria, spans: KeySpans, codes: Codes, found: Grouped, keys: int, shared: int
) -> Ints:
    """The group of each entry after merging groups that break a criterion, each where it loses least.

    The columns of `codes` are the keys, the columns that groups share, and the sensitive attributes.
    """
    from ammg.kernels.recoding.key_spans import taken
    from ammg.kernels.recoding.merge_groups import merge_groups

    rows, codes, group = taken(spans, found.cells), codes[found.cells], found.groups
    sensitive = [np.ascontiguousarray(column) for column in codes[:, keys + shared :].T]
    _, stratum = np.unique(codes[:, keys : keys + shared], axis=0, return_inverse=True)
    while True:
        total = int(group.max()) + 1
        classes = tested.classes(group.astype(np.int32), total, found.counts, None, sensitive)
        failing = tested.failing(classes)
        if not failing.any():
            return group
        place = np.zeros(total, np.int64)
        place[group] = stratum.reshape(-1)
        joined = merge_groups(rows, group, found.counts, place, failing)
        if int(joined.max()) + 1 == total:
            broken = next(c for c in tested.criteria if c.fails_in(classes).any())
            part = "all records" if not shared else "all records that agree on the unchanged columns"
            raise InputError(f"Even as one group, {part} break {broken!r}: relax the criterion.")
        group = joined
