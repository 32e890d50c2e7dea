"""Special uniques (SUDA2): the smallest subsets of keys on which a record is unique.

Elliot, Manning and Ford (2002), Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 10(5); Manning, Haglin
and Keane (2008), A recursive search algorithm for statistical disclosure assessment, DMKD 16.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, prod

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.anonymity.key_table import key_table
from ammg.kernels.anonymity.minimal_uniques import find_minimal_uniques

_MOST_SUBSETS = 200_000


@dataclass(frozen=True)
class SpecialUniques:
    """Minimal sample uniques and the resulting scores.

    `records` are the sample uniques, `scores` their SUDA scores, `contributions[i, j]` the part of the score of
    unique i that comes from subsets with key j, `subsets` the number of minimal uniques of each subset of keys that has
    any, and `pairs` the number of records in cells of two.
    """

    records: NDArray[np.int64]
    scores: NDArray[np.float64]
    contributions: NDArray[np.float64]
    subsets: dict[tuple[int, ...], int]
    pairs: int


def special_uniques(
    codes: Sequence[NDArray[np.int32]], sizes: Sequence[int], largest: int | None = None
) -> SpecialUniques:
    """Find the minimal sample uniques of up to `largest` keys and score them.

    A minimal sample unique of size s adds the product of (ATT - i) for i from s to min(largest, ATT - 1), ATT being
    the number of keys: small subsets weigh most. A missing value (-1) distinguishes nobody.
    """
    attributes = len(codes)
    largest = attributes if largest is None else min(largest, attributes)
    if sum(comb(attributes, size) for size in range(1, largest + 1)) > _MOST_SUBSETS:
        raise ValueError(
            f"{attributes} keys have more than {_MOST_SUBSETS:,} subsets of up to {largest}. "
            "Use fewer keys or smaller subsets."
        )
    table, cells = key_table(codes, sizes)
    unique = np.flatnonzero(table.counts == 1)
    place = np.cumsum(table.counts == 1) - 1
    scores = np.zeros(unique.size)
    contributions = np.zeros((attributes, unique.size))
    subsets: dict[tuple[int, ...], int] = {}
    for keys, alone in find_minimal_uniques(table, largest):
        weight = subset_weight(attributes, len(keys), largest)
        subsets[keys] = alone.size
        where = place[alone]
        scores[where] += weight
        for key in keys:
            contributions[key][where] += weight
    return SpecialUniques(
        cells.first[unique], scores, contributions.T, subsets, 2 * int(np.count_nonzero(table.counts == 2))
    )


def subset_weight(attributes: int, size: int, largest: int) -> float:
    """The contribution of a minimal sample unique of this size to the score of its record."""
    return float(prod(attributes - i for i in range(size, min(largest, attributes - 1) + 1)))


def level_contributions(
    found: SpecialUniques, codes: Sequence[NDArray[np.int32]], sizes: Sequence[int]
) -> list[NDArray[np.float64]]:
    """For each key, the share of its contribution due to each of its categories; zeros where it has none."""
    shares = []
    for key, (column, size) in enumerate(zip(codes, sizes, strict=True)):
        values = column[found.records]
        known = values >= 0
        sums = np.bincount(values[known], weights=found.contributions[known, key], minlength=size)
        shares.append(np.asarray(sums / max(float(sums.sum()), np.finfo(float).tiny), np.float64))
    return shares


def dis_suda(
    scores: NDArray[np.float64], pairs: int, fraction: float, attributes: int, exponent: float | None = None
) -> NDArray[np.float64]:
    """Probability that a match with a sample unique is correct: the DIS measure distributed by SUDA score.

    DIS = U f / (U f + P (1 - f)) with U uniques, P records in pairs and sampling fraction f (Skinner and Elliot 2002);
    unique i gets 1 / (1 + (U / DIS - U) / (s_i^Q A)) with A the sum of s_i^-Q over the uniques.

    Args:
        scores: SUDA scores of the sample uniques; a score of zero gets risk zero.
        pairs: Records in cells of two.
        fraction: Sampling fraction.
        attributes: Number of keys.
        exponent: Q; by default 1 + (8 - attributes) / 20, as in sdcMicro.
    """
    if not 0 < fraction <= 1:
        raise ValueError(f"The sampling fraction must lie in (0, 1]; it is {fraction}.")
    positive = scores > 0
    risk = np.zeros(scores.size)
    uniques = int(np.count_nonzero(positive))
    if uniques == 0:
        return risk
    q = 1.0 + (8 - attributes) / 20.0 if exponent is None else exponent
    dis = uniques * fraction / (uniques * fraction + pairs * (1.0 - fraction))
    powers = scores[positive] ** q
    risk[positive] = 1.0 / (1.0 + (uniques / dis - uniques) / (powers * np.sum(1.0 / powers)))
    return risk
