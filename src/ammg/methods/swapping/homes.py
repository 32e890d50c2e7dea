"""The households of a block: their areas, their profiles, who is rare in them, and the search for partners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ammg.data.block import Block
from ammg.errors import InputError

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Homes:
    """Records by household; without households every record is one."""

    block: Block
    home: Ints
    """The household of each record, from 0."""
    head: Ints
    """The first record of each household."""

    @classmethod
    def of(cls, block: Block, household: str | None) -> Homes:
        """The households that a column names; a record without one is a household of its own."""
        alone = np.arange(len(block))
        if household is None:
            return cls(block, alone, alone)
        numbers = block.numbers(household)
        label = np.where(np.isnan(numbers), alone, numbers)
        both = np.column_stack([np.isnan(numbers), label])
        _, head, home = np.unique(both, axis=0, return_index=True, return_inverse=True)
        return cls(block, home.reshape(-1).astype(np.int64), head.astype(np.int64))

    @property
    def count(self) -> int:
        """How many households there are."""
        return len(self.head)

    def numbered(self, names: Sequence[str]) -> Ints:
        """A number for each household, the same for those that agree on household attributes."""
        number = np.zeros(self.count, dtype=np.int64)
        for name in names:
            values = self._of_homes(name)
            number = _paired(number, _codes(values))
        return number

    def areas(self, geography: Sequence[str]) -> list[Ints]:
        """The area of each household at each level, coarsest first.

        Raises:
            InputError: an area of one level lies in two areas of the level above.
        """
        found: list[Ints] = []
        for level, name in enumerate(geography):
            area = _codes(self._of_homes(name))
            if found:
                both = np.unique(np.column_stack([area, found[-1]]), axis=0)
                fine, times = np.unique(both[:, 0], return_counts=True)
                if (times > 1).any():
                    raise InputError(
                        f"'{name}' is not nested in '{geography[level - 1]}': {int((times > 1).sum()):,} of its "
                        f"{len(fine):,} areas lie in several areas of the level above. Name the geography from the "
                        "coarsest level to the finest."
                    )
            found.append(area)
        return found

    def rare(self, area: Ints, keys: Sequence[str], k: int) -> NDArray[np.bool_]:
        """Which households have a member whose keys fewer than k people of the area share."""
        number = area[self.home]
        for name in keys:
            number = _paired(number, _codes(self.block.numbers(name)))
        counts = np.bincount(number)[number]
        risky = np.zeros(self.count, dtype=bool)
        risky[self.home[counts < k]] = True
        return risky

    def without(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """Which households lack a value of an attribute."""
        lacking = np.zeros(self.count, dtype=bool)
        for name in names:
            lacking |= np.isnan(self._of_homes(name))
        return lacking

    def moves(self, sources: Ints) -> Ints:
        """The record from which each record takes its geography, if its household takes that of another one."""
        same = sources[self.home] == self.home
        return np.where(same, np.arange(len(self.home)), self.head[sources[self.home]])

    def _of_homes(self, name: str) -> NDArray[np.float64]:
        values = self.block.numbers(name)
        own = values[self.head]
        other = ~((values == own[self.home]) | (np.isnan(values) & np.isnan(own[self.home])))
        if other.any():
            raise InputError(
                f"'{name}' varies within {len(np.unique(self.home[other])):,} households: name attributes that "
                "all members share."
            )
        return np.asarray(own)


class Searching:
    """The search for partners, level by level and profile by profile."""

    def __init__(
        self, areas: Sequence[Ints], profiles: Sequence[Ints], bound: NDArray[np.bool_], rng: np.random.Generator
    ) -> None:
        """`bound` households have no place to exchange and keep to themselves."""
        self.areas, self.profiles, self.rng = areas, profiles, rng
        self.free = ~bound
        self.sources = np.arange(len(bound))
        self.pairs = [0] * len(profiles)

    @property
    def swapped(self) -> NDArray[np.bool_]:
        """Which households have a partner."""
        return np.asarray(self.sources != np.arange(len(self.sources)))

    def exchange(self, wanted: Ints, level: int, most: int | None = None) -> None:
        """Give households a partner of another area of the level, inside the same area of the level above."""
        from ammg.kernels.swapping.exchange import pair_households

        above = np.zeros(len(self.free), dtype=np.int64) if level == 0 else self.areas[level - 1]
        wanted = self.rng.permutation(wanted)
        for position, profile in enumerate(self.profiles):
            left = wanted[self.free[wanted]]
            if not len(left) or most == 0:
                return
            partner = pair_households(left, _paired(above, profile), self.areas[level], self.free, self.rng, most)
            one, other = left[partner >= 0], partner[partner >= 0]
            self.sources[one], self.sources[other] = other, one
            self.pairs[position] += len(one)
            most = None if most is None else most - len(one)


def _codes(values: NDArray[np.float64]) -> Ints:
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)


def _paired(one: Ints, other: Ints) -> Ints:
    both = one * (int(other.max(initial=0)) + 1) + other
    return np.asarray(np.unique(both, return_inverse=True)[1], dtype=np.int64)
