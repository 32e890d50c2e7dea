"""Which known attributes are worth using: those that masking made useless only mislead an intruder."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.orders import stable_order
from ammg.kernels.threads import in_threads
from ammg.measures.linkage.intruder import Search

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

KEPT = (0.99, 0.5, 0.1)
"""Shares of an attribute's power to tell people apart that the mask must have left for an attack to use it."""

BY_CHANCE = 4.0  # people whom links that know nothing find, now and then; on average it is one
_ROUNDING = 1 + 1e-9


def fewer_attributes(search: Search) -> list[tuple[str, ...]]:
    """Subsets of the known attributes, without those that the mask has changed most; none if all fared alike.

    The power of an attribute is how much nearer a record lies to its own person than to a random one. At most three
    subsets, whatever the number of attributes.
    """
    names = search.known.names
    rows = search.judged
    power = in_threads(
        lambda position: _power_left(search, position, rows), range(len(names)), search.known.masked.size
    )
    subsets = [tuple(name for name, left in zip(names, power, strict=True) if left >= least) for least in KEPT]
    return list(dict.fromkeys(subset for subset in subsets if subset and len(subset) < len(names)))


def with_only(search: Search, names: tuple[str, ...]) -> Search:
    """The same search by an intruder who uses some of the attributes."""
    fewer = Search.of(search.known.only(names), search.origin, ordered=search.is_ordered)
    people, records = search.people[fewer.people], search.records[fewer.records]
    return replace(fewer, people=people, records=records, cut_from=search)


def clearly_better(credit: Floats, than: Floats) -> bool:
    """Whether one way of linking finds more people than another by more than chance would make it."""
    gain = credit - than
    # The last digits of sums depend on the order of the records, which must not decide.
    least = _ROUNDING * BY_CHANCE, _ROUNDING * (1 + np.sqrt(np.square(gain).sum()))
    return bool(credit.sum() > least[0] and gain.sum() > least[1])


def _power_left(search: Search, position: int, rows: Ints) -> float:
    """1 for an attribute that is as it was, about 0 for one that tells nothing any more."""
    before, after = search.known.original[:, position], search.known.masked[rows, position]
    own = before[search.origin[rows]]
    seen = ~np.isnan(own) & ~np.isnan(after)
    if not seen.any():
        return 0.0
    own, after = own[seen], after[seen]
    if np.array_equal(own, after):
        return 1.0
    held = before[~np.isnan(before)]
    if search.known.categorical[position]:
        counts = np.bincount(held.astype(np.int64), minlength=int(after.max()) + 1)
        best, left = (_differing(counts, own, shown) - 0.5 for shown in (own, after))
    else:
        near, held = stable_order(own), np.sort(held)  # values in their order are sought faster
        best, left = (_farther(held, own[near], shown[near]) - 0.5 for shown in (own, after))
    return left / best if best > 0 else 1.0


def _farther(held: Floats, own: Floats, shown: Floats) -> float:
    """The mean share of people farther from the number shown than its own person; those as far count half.

    People are counted before anything is divided, so that the order of the records does not matter.
    """
    distance = np.abs(own - shown)
    low, high = shown - distance, shown + distance
    within = np.searchsorted(held, high, "right") - np.searchsorted(held, low, "left")
    nearer = np.maximum(np.searchsorted(held, high, "left") - np.searchsorted(held, low, "right"), 0)
    return 1.0 - int((within + nearer).sum()) / (2 * len(held) * len(own))


def _differing(counts: Ints, own: Floats, shown: Floats) -> float:
    """The same for categories, which are equal or not, by the number of people with each."""
    alike, same = int(counts[shown.astype(np.int64)].sum()), int(np.count_nonzero(own == shown))
    return 0.5 + same / (2 * len(own)) - alike / (2 * int(counts.sum()) * len(own))
