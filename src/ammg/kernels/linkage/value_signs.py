"""Signs: what one value of a released record reveals about a known value, learned from true pairs.

A column released beside a masked one may reveal the masked value: a town its region, a sampling weight its stratum. A
mask may also rename values, or change a number by whole steps and keep its last digits. Such relations are neither
distances nor linear, but true pairs show them: the most frequent known value for a released value is the prediction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.orders import run_starts

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_RIGHT = 0.3  # share of pairs: a sign that is correct less often is not used
LEAST_AGREEMENT = 1e-6
CLASSES = 20  # of numbers that rarely repeat
MOST_STEPS = 1e9  # most steps between the smallest and the largest number of a column with last digits


class Sign(NamedTuple):
    """Codes of a known column and of a released one; -1 for missing."""

    own: Ints
    seen: Ints
    translated: bool = True
    """Whether the codes belong to different columns, so that their relation is learned from pairs."""


class Told(NamedTuple):
    """A learned sign: who agrees with which record, and the cost of a mismatch."""

    own: Floats  # NaN where nothing is known
    shown: Floats  # -1, which nobody has, where a record reveals nothing
    cost: float
    worth: float


def learn_sign(sign: Sign, origin: Ints) -> Told | None:
    """Learn a sign from pairs; None if it reveals nothing. Records with origin -1 are not used.

    Its accuracy is computed on pairs that were not used to learn it.
    """
    real = origin >= 0
    own, seen = sign.own[origin[real]], sign.seen[real]
    both = (own >= 0) & (seen >= 0)
    own, seen = own[both], seen[both]
    if not len(own):
        return None
    if sign.translated:
        names, right, total = _translation(own, seen)
    else:
        names = np.arange(max(int(sign.seen.max()), int(sign.own.max())) + 1)
        right, total = int(np.count_nonzero(own == seen)), len(own)
    known = (sign.seen >= 0) & (sign.seen < len(names))
    shown = np.where(known, names[np.where(known, sign.seen, 0)], -1)
    u = _by_chance(sign.own[sign.own >= 0], shown[shown >= 0])
    if right < LEAST_RIGHT * total or right <= 1 + u * total + 4 * np.sqrt(u * (1 - u) * total):
        return None
    m = np.clip((right + 0.5) / (total + 1.0), LEAST_AGREEMENT, 1 - LEAST_AGREEMENT)
    u = float(np.clip(u, LEAST_AGREEMENT, 1 - LEAST_AGREEMENT))
    cost = 2 * float(np.log(m / u) - np.log1p(-m) + np.log1p(-u))
    if cost <= 0:
        return None
    return Told(np.where(sign.own < 0, np.nan, sign.own), shown.astype(np.float64), cost, float(m * np.log(m / u)))


def classes(values: Floats) -> Ints:
    """Codes of the values of a column, or of equally large classes if most values are unique; -1 for missing."""
    codes = np.full(len(values), -1, dtype=np.int64)
    seen = ~np.isnan(values)
    ordered = np.sort(values[seen])
    distinct = ordered[run_starts(ordered)]
    if len(distinct) > max(len(ordered) // 2, 2):
        bounds = ordered[np.arange(1, CLASSES) * len(ordered) // CLASSES]
        codes[seen] = np.searchsorted(np.unique(bounds), values[seen], side="right")
    else:
        codes[seen] = np.searchsorted(distinct, values[seen])
    return codes


def last_digits(original: Floats, masked: Floats) -> list[Sign]:
    """The last one, two and three digits of a column in units of its smallest step; none if it has no steps.

    They identify numbers that were changed only by larger steps.
    """
    values = np.unique(original[~np.isnan(original)])
    if len(values) < 3:
        return []
    step = float(np.diff(values).min())
    if not step > 0 or max(abs(values[0]), abs(values[-1])) / step > MOST_STEPS:
        return []
    if np.abs(values / step - np.round(values / step)).max() > 0.01:
        return []
    signs = []
    for size in (10, 100, 1000):
        if size * step >= values[-1] - values[0]:
            break
        sides = []
        for side in (original, masked):
            steps = side / step
            whole = np.abs(steps - np.round(steps)) < 0.01  # False for missing values
            sides.append(np.where(whole, np.mod(np.round(np.where(whole, steps, 0.0)), size), -1).astype(np.int64))
        signs.append(Sign(sides[0], sides[1], translated=False))
    return signs


def _translation(own: Ints, seen: Ints) -> tuple[Ints, int, int]:
    """The most frequent known value for each released one; how many other pairs it predicts correctly, of how many."""
    wide = int(own.max()) + 1
    pairs, counts = np.unique(seen * wide + own, return_counts=True)
    value, code = pairs % wide, pairs // wide
    order = np.lexsort((-counts, code))
    value, code, counts = value[order], code[order], counts[order]
    first = np.flatnonzero(np.diff(code, prepend=-1))
    second = np.append(counts[1:], 0)[first]
    second[np.append(code[1:], -1)[first] != code[first]] = 0
    alone = counts[first] > second
    names = np.full(int(code.max()) + 1, -1, dtype=np.int64)
    names[code[first[alone]]] = value[first[alone]]
    sizes = np.bincount(code, counts)[code[first]]
    right = int(counts[first][counts[first] - 1 > second].sum())
    return names, right, int(sizes[sizes > 1].sum())


def _by_chance(own: Ints, shown: Ints) -> float:
    """The probability that a random person agrees with a random record."""
    size = 1 + int(max(own.max(initial=0), shown.max(initial=0)))
    shares = [np.bincount(side, minlength=size) / max(len(side), 1) for side in (own, shown)]
    return float(shares[0] @ shares[1])
