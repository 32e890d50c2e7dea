"""What the number of released members of a household tells about the household.

A release with a household number shows how many records each household has, whatever its columns say. With c released
members, an intruder guesses the value that most households with c released members have. `share` says how good the
guess is, as the λ of Goodman and Kruskal (1954): of the values that one guess for all households misses, how many the
count gets right. It is 1 for the size of a household whose members are all released, falls as members are left out,
when the count is only a lower bound, and is 0 where the count tells nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LEAST = 10.0  # pairs of households with the same count that chance would have broken
_SAME = 0.9  # of the records that have the value of the first member: else the column is one of persons


class Told(NamedTuple):
    """How well the number of members tells a column, and the code to guess for each number of members."""

    share: float
    guesses: Ints
    """By number of members from 0; -1 where no household has so many."""

    def of(self, homes: Ints) -> Ints:
        """The code to guess for each record; -1 without a household, or with a number of members never seen."""
        counts = np.minimum(count_members(homes), len(self.guesses))
        return np.append(self.guesses, -1)[counts]


def told_by_members(homes: Ints, codes: Ints, numbers: Floats) -> Told:
    """How well the number of records of each household tells its code.

    `homes` are the households of the records from 0, -1 for none; `codes` what they had, -1 where nobody knows;
    `numbers` the number that each code stands for, NaN for none. A code that is the number of members needs no further
    evidence; any other relation counts only if chance would have broken it.
    """
    known = np.flatnonzero((homes >= 0) & (codes >= 0))
    first = np.full(int(homes.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[homes[known][::-1]] = known[::-1]
    heads = first[first >= 0]
    nothing = Told(0.0, np.zeros(0, dtype=np.int64))
    if not len(heads) or np.mean(codes[known] == codes[first[homes[known]]]) < _SAME:
        return nothing
    members, values = count_members(homes)[heads], codes[heads]
    frequencies = np.bincount(values)
    missed = len(values) - int(frequencies.max())
    if not missed:
        return nothing
    pairs, many = np.unique(members * len(frequencies) + values, return_counts=True)
    order = np.argsort(many, kind="stable")
    guesses, most = np.full(int(members.max()) + 1, -1, dtype=np.int64), np.zeros(int(members.max()) + 1)
    guesses[pairs[order] // len(frequencies)] = pairs[order] % len(frequencies)
    most[pairs[order] // len(frequencies)] = many[order]
    sizes = 1.0 - np.count_nonzero(numbers[values] != members) / missed
    return Told(max(0.0, sizes, _related(members, most, frequencies / len(values))), guesses)


def count_members(homes: Ints) -> Ints:
    """The number of records of the household of each record; 0 for records without one."""
    return np.append(np.bincount(homes[homes >= 0], minlength=int(homes.max(initial=-1)) + 1), 0)[homes]


def _related(members: Ints, most: Floats, shares: Floats) -> float:
    """The share by any relation, over households that have their number of members in common with others."""
    many = np.bincount(members)
    shared = many > 1
    total, expected = (
        float(many[shared].sum()),
        float((many[shared] - 1).sum()) * (1.0 - float(np.square(shares).sum())),
    )
    missed = total * (1.0 - float(shares.max()))
    return 1.0 - (total - float(most[shared].sum())) / missed if expected >= _LEAST else 0.0
