"""What an intruder guesses from the released records nearest to a person, and how often the guess is right."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.linkage.nearest import distinct_rows, k_nearest, number_copies

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TIED = 20  # equally near combinations of values that are used, with all their records
ROUNDING = 1e-9


def right_from_nearest(
    people: Floats, records: Floats, kinds: Ints | None, shown: Floats, truth: Floats, reach: Floats
) -> Floats:
    """The probability that each person's hidden values are guessed correctly from the nearest released records.

    `people` and `records` are points in one space; `shown` are the hidden attributes of the records and `truth` those
    of the people, NaN if missing. For each attribute, the nearest records that show it are used, and the guess is the
    value with most of them within `reach`; if c such values are tied, one is chosen at random.
    """
    right = np.zeros(truth.shape)
    gone = np.isnan(shown)
    for pattern in np.unique(gone, axis=1).T:
        columns = np.flatnonzero((gone == pattern[:, None]).all(axis=0))
        if pattern.all():
            continue
        some = np.flatnonzero(~pattern)
        person, record, group = _nearest(people, records[some], kinds)
        for j in columns:
            right[:, j] = _right(person, shown[some, j][record], truth[:, j], group, float(reach[j]))
    return right


def right_from_margins(shown: Floats, truth: Floats, reach: Floats) -> Floats:
    """The same for an intruder who knows nobody and uses all records."""
    right = np.zeros(truth.shape)
    for j in range(truth.shape[1]):
        values = shown[~np.isnan(shown[:, j]), j]
        if len(values):
            nobody = np.zeros(len(truth), dtype=np.int64)
            right[:, j] = _right(np.zeros(len(values), dtype=np.int64), values, truth[:, j], nobody, float(reach[j]))
    return right


def _nearest(people: Floats, records: Floats, kinds: Ints | None) -> tuple[Ints, Ints, Ints]:
    """Groups of people at one point together with all their nearest records, and the group of each person."""
    group = number_copies(people)
    first = distinct_rows(people)[0]
    copies = number_copies(records)
    points = distinct_rows(records)[0]
    count = min(TIED, len(points))
    nearest, distance = k_nearest(records[points], people[first], count, kinds=kinds)
    tied = distance <= distance[:, :1] * (1 + ROUNDING)
    groups, place = np.nonzero(tied)
    found = nearest[groups, place]
    order = np.argsort(copies, kind="stable")
    starts = np.searchsorted(copies[order], np.arange(len(points) + 1))
    size = np.diff(starts)[found]
    within = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    return np.repeat(groups, size), order[np.repeat(starts[found], size) + within], group


def _right(asked: Ints, shown: Floats, truth: Floats, group: Ints, reach: float) -> Floats:
    """The probability for one attribute; `asked` is the group of people for which each record is used."""
    order = np.lexsort((shown, asked))
    asked, shown = asked[order], shown[order]
    support = _around(asked, shown, asked, shown, reach)
    starts = np.flatnonzero(np.diff(asked, prepend=-1))
    most = np.repeat(np.maximum.reduceat(support, starts), np.diff(starts, append=len(asked)))
    likely = support == most
    hits = _around(asked[likely], shown[likely], group, truth, reach)
    choices = np.bincount(asked[likely], minlength=int(group.max(initial=-1)) + 1)[group]
    return np.asarray(hits / np.maximum(choices, 1))


def _around(groups: Ints, values: Floats, of: Ints, centre: Floats, reach: float) -> Ints:
    """How many values of the group `of` lie within `reach` of each centre; none if the centre is missing.

    `values` are sorted within their groups, and the groups are in order.
    """
    ranked = np.sort(values)
    wide = len(ranked) + 1
    place = groups * wide + np.searchsorted(ranked, values)
    low, high = centre - reach, centre + reach
    first = np.searchsorted(place, of * wide + np.searchsorted(ranked, low))
    last = np.searchsorted(place, of * wide + np.searchsorted(ranked, high, "right"))
    return np.where(np.isnan(centre), 0, last - first)
