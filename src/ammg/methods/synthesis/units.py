"""Households as the units of simulation; without households every record is one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block

Ints = NDArray[np.int64]
Booleans = NDArray[np.bool_]

PLACES = 6
"""Members from the sixth on are simulated from all of those together."""


@dataclass(frozen=True, eq=False)
class Units:
    """The records of a block by household."""

    of_record: Ints
    """The household of each record, numbered from 0."""
    records: Ints
    """All records, household by household, in the order of the file."""
    starts: Ints
    """Where the records of each household start among those."""
    sizes: Ints

    @classmethod
    def of(cls, block: Block, household: str | None) -> Units:
        """By the household identifier; a record without one lives alone."""
        if household is None:
            records = np.arange(len(block), dtype=np.int64)
            return cls(records, records, records, np.ones(len(block), dtype=np.int64))
        alone = block.is_missing(household)
        keys = np.where(alone, -1.0 - np.arange(len(block)), np.nan_to_num(block.numbers(household)))
        homes = np.unique(keys, return_inverse=True)[1].astype(np.int64)
        sizes = np.bincount(homes).astype(np.int64)
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        return cls(homes, np.argsort(homes, kind="stable"), starts, sizes)

    @property
    def heads(self) -> Ints:
        """The first record of each household."""
        return self.records[self.starts]

    @property
    def places(self) -> Ints:
        """Which member of its household each record is, from 0."""
        place = np.empty(len(self.records), dtype=np.int64)
        place[self.records] = np.arange(len(self.records)) - np.repeat(self.starts, self.sizes)
        return np.minimum(place, PLACES - 1)

    def met(self, broken: Booleans) -> Ints:
        """The households none of whose records is marked."""
        return np.flatnonzero(np.bincount(self.of_record, broken, minlength=len(self.sizes)) == 0)

    def members(self, homes: Ints) -> tuple[Ints, Ints]:
        """The records of some households, one after the other, and the number in the list that each belongs to."""
        sizes = self.sizes[homes]
        number = np.repeat(np.arange(len(homes)), sizes)
        offset = np.arange(len(number)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return self.records[self.starts[homes][number] + offset], number

    def is_shared(self, block: Block, name: str) -> bool:
        """Whether all members of every household have the same value in a column."""
        values = block.numbers(name)
        first = values[self.heads][self.of_record]
        return bool(np.all((values == first) | (np.isnan(values) & np.isnan(first))))
