"""What the number of released members of a household tells about the household.

A release with a household number shows how many records each household has, whatever its columns say. With c released
members, an intruder guesses the value that most households with c released members have and, where enough of them also
show the same masked value, that of most of these. `share` says how good the number alone is, as the λ of Goodman and
Kruskal (1954): of the values that one guess for all households misses, how many the number gets right. It is 1 for the
size of a household whose members are all released, falls as members are left out, when the number is only a lower
bound, and is 0 where the number tells nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_LEAST = 10.0  # pairs of households with the same count that chance would have broken
_SAME = 0.9  # of the records that have the value of the first member: else the column is one of persons
_ENOUGH = 5  # households that show the same, from which what most of them have is no accident


class Told(NamedTuple):
    """How well the number of members tells a column, and the codes to guess; -1 where there is no guess."""

    share: float
    guesses: Ints
    """By number of members, from 0."""
    refined: Ints
    """By number of members and, within it, by the code that the release shows, from -1."""

    def of(self, homes: Ints, shown: Ints | None = None) -> Ints:
        """The code to guess for each record, which shows a code of its own; -1 without a household."""
        members = np.minimum(count_members(homes), len(self.guesses))
        rough = np.append(self.guesses, -1)[members]
        if shown is None or not len(self.guesses):
            return rough
        width = len(self.refined) // len(self.guesses)
        fine = np.append(self.refined, np.full(width, -1))[members * width + shown + 1]
        return np.where(fine >= 0, fine, rough)


def told_by_members(homes: Ints, codes: Ints, numbers: Floats, shown: Ints | None = None) -> Told:
    """How well the number of records of each household tells its code.

    `homes` are the households of the records from 0, -1 for none; `codes` what they had, -1 where nobody knows;
    `numbers` the number that each code stands for, NaN for none; `shown` the codes that the release shows, if any. A
    code that is the number of members needs no further evidence; any other relation counts only if chance would have
    broken it.
    """
    known = np.flatnonzero((homes >= 0) & (codes >= 0))
    first = np.full(int(homes.max(initial=-1)) + 1, -1, dtype=np.int64)
    first[homes[known][::-1]] = known[::-1]
    heads = first[first >= 0]
    nothing = np.zeros(0, dtype=np.int64)
    if not len(heads) or np.mean(codes[known] == codes[first[homes[known]]]) < _SAME:
        return Told(0.0, nothing, nothing)
    members, values = count_members(homes)[heads], codes[heads]
    frequencies = np.bincount(values)
    missed = len(values) - int(frequencies.max())
    if not missed:
        return Told(0.0, nothing, nothing)
    largest = int(members.max()) + 1
    guesses, most = _most_frequent(members, values, largest)
    width = 1 if shown is None else int(shown.max(initial=-1)) + 2
    places = members * width + (0 if shown is None else shown[heads] + 1)
    refined, _ = _most_frequent(places, values, largest * width)
    refined[np.bincount(places, minlength=largest * width) < _ENOUGH] = -1
    sizes = 1.0 - int(np.count_nonzero(numbers[values] != members)) / missed
    return Told(max(0.0, sizes, _related(members, most, frequencies / len(values))), guesses, refined)


def _most_frequent(places: Ints, values: Ints, many: int) -> tuple[Ints, Ints]:
    """The most frequent value at each place, -1 for none, and how often it is there."""
    width = int(values.max()) + 1
    pairs, times = np.unique(places * width + values, return_counts=True)
    order = np.argsort(times, kind="stable")
    best, most = np.full(many, -1, dtype=np.int64), np.zeros(many, dtype=np.int64)
    best[pairs[order] // width] = pairs[order] % width
    most[pairs[order] // width] = times[order]
    return best, most


def count_members(homes: Ints) -> Ints:
    """The number of records of the household of each record; 0 for records without one."""
    return np.append(np.bincount(homes[homes >= 0], minlength=int(homes.max(initial=-1)) + 1), 0)[homes]


def _related(members: Ints, most: Ints, shares: Floats) -> float:
    """The share by any relation, over households that have their number of members in common with others."""
    many = np.bincount(members)
    shared = many > 1
    total, expected = (
        float(many[shared].sum()),
        float((many[shared] - 1).sum()) * (1.0 - float(np.square(shares).sum())),
    )
    missed = total * (1.0 - float(shares.max()))
    return 1.0 - (total - float(most[shared].sum())) / missed if expected >= _LEAST else 0.0
