"""What an intruder guesses from the released records nearest to a person, and how often the guess is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.columns import in_threads
from ammg.kernels.inference.likely_values import gather, guess
from ammg.kernels.linkage.nearest import k_nearest, runs

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TIED = 20  # equally near combinations of values that are used, with all their records
ROUNDING = 1e-9
POINTS, RECORDS = 4096, 1 << 18  # at a time, at most


def right_from_nearest(
    people: Floats,
    records: Floats,
    kinds: Ints | None,
    shown: Floats,
    truth: Floats,
    reaches: Sequence[Floats],
) -> list[Floats]:
    """The probability that each person's hidden values are guessed correctly from the nearest released records.

    `people` and `records` are points in one space; `shown` are the hidden attributes of the records and `truth` those
    of the people, NaN if missing. For each attribute, the nearest records that show it are used, and the guess is the
    value with most of them within reach; if c such values are tied, one is chosen at random. There is one result for
    each of `reaches`, which have one number for each attribute.
    """
    right = [np.zeros(truth.shape) for _ in reaches]
    seen = ~np.isnan(shown)
    alike: dict[bytes, list[int]] = {}
    for j in np.flatnonzero(seen.any(axis=0)).tolist():
        alike.setdefault(seen[:, j].tobytes(), []).append(j)
    for columns in alike.values():
        some = np.flatnonzero(seen[:, columns[0]])
        near = _nearest(people, records[some], kinds)

        def guess_column(j: int, some: Ints = some, near: _Nearest = near) -> None:
            values = _Values.of(shown[some, j], truth[:, j])
            found: dict[float, Floats] = {}
            for each, reach in zip(right, reaches, strict=True):
                if reach[j] not in found:
                    found[reach[j]] = _right(near, values, float(reach[j]))
                each[:, j] = found[reach[j]]

        in_threads(guess_column, columns, shown.size)
    return right


def right_from_margins(shown: Floats, truth: Floats, reaches: Sequence[Floats]) -> list[Floats]:
    """The same for an intruder who knows nobody and uses all records."""
    right = [np.zeros(truth.shape) for _ in reaches]

    def guess_column(j: int) -> None:
        column = shown[~np.isnan(shown[:, j]), j]
        if len(column):
            values = _Values.of(column, truth[:, j])
            for k, reach in enumerate(reaches):
                right[k][:, j] = _right_by_chance(values, float(reach[j]))

    in_threads(guess_column, range(truth.shape[1]), shown.size)
    return right


class _Values(NamedTuple):
    """The values that records show in one attribute, and those of the people."""

    distinct: Floats  # in order
    place: Ints  # of each record among them
    counts: Ints
    truth: Floats
    order: Ints  # of the people by their values, missing ones last

    @classmethod
    def of(cls, shown: Floats, truth: Floats) -> _Values:
        distinct, place, counts = np.unique(shown, return_inverse=True, return_counts=True)
        return cls(distinct, place.reshape(-1), counts, truth, np.argsort(truth, kind="stable"))

    def around(self, reach: float) -> tuple[Ints, Ints]:
        """The places from which, and up to which, values lie within reach of each value."""
        return self._window(self.distinct, reach)

    def around_truth(self, reach: float) -> tuple[Ints, Ints]:
        """The same for the value of each person; missing ones have nothing around them."""
        first, last = np.zeros((2, len(self.truth)), dtype=np.int64)
        seen = self.order[: len(self.order) - np.count_nonzero(np.isnan(self.truth))]
        first[seen], last[seen] = self._window(self.truth[seen], reach)
        return first, last

    def _window(self, centres: Floats, reach: float) -> tuple[Ints, Ints]:
        """The window around each centre; the centres must be sorted."""
        return (
            np.searchsorted(self.distinct, centres - reach),
            np.searchsorted(self.distinct, centres + reach, "right"),
        )


class _Nearest(NamedTuple):
    """The people at each point, and the records nearest to it."""

    people: Ints  # by point
    starts: Ints  # of the people at each point, and their number
    tied: Ints  # how many places of records are nearest to each point
    nearest: Ints  # points × these places, -1 where there is none
    records: Ints  # by place
    begins: Ints  # of the records at each place, and their number
    sizes: Ints  # how many records are nearest to each point


def _nearest(people: Floats, records: Floats, kinds: Ints | None) -> _Nearest:
    (order, starts), (rows, begins) = runs(people), runs(records)
    points, places = people[order[starts]], records[rows[begins]]
    nearest, distance = k_nearest(places, points, min(TIED, len(places)), kinds=kinds, within=1 + 2 * ROUNDING)
    tied = np.count_nonzero(distance <= distance[:, :1] * (1 + ROUNDING), axis=1)
    begins = np.append(begins, len(rows))
    copies = np.append(np.diff(begins), 0)
    sizes = np.where(np.arange(nearest.shape[1]) < tied[:, None], copies[nearest], 0).sum(axis=1)
    return _Nearest(order, np.append(starts, len(order)), tied, nearest, rows, begins, sizes)


def _right(near: _Nearest, values: _Values, reach: float) -> Floats:
    """The probability for one attribute; values of people about whom nothing is known are guessed by chance."""
    right = np.zeros(len(values.truth))
    around, of_truth, distinct = values.around(reach), values.around_truth(reach), len(values.distinct)

    def work(start: int, stop: int) -> None:
        span, sizes = slice(start, stop), near.sizes[start:stop]
        keys = np.empty(int(sizes.sum()), dtype=np.int64)
        gather(near.nearest[span], near.tied[span], near.records, near.begins, values.place, distinct, keys)
        keys.sort()
        room = np.empty(len(keys), dtype=np.int64), np.empty(len(keys) + 1, dtype=np.int64)
        guess(keys, sizes, distinct, *around, near.people, near.starts[start : stop + 1], *of_truth, *room, right)

    points = len(near.sizes)
    over_blocks(work, points, block=int(np.clip(RECORDS * points // max(int(near.sizes.sum()), 1), 1, POINTS)))
    if not near.sizes.all():
        unknown = near.people[np.repeat(near.sizes == 0, np.diff(near.starts))]
        right[unknown] = _right_by_chance(values, reach)[unknown]
    return right


def _right_by_chance(values: _Values, reach: float) -> Floats:
    """The same for an intruder who knows nobody."""
    before = np.append(0, np.cumsum(values.counts))
    first, last = values.around(reach)
    support = before[last] - before[first]
    chosen = np.where(support == support.max(), values.counts, 0)
    likely = np.append(0, np.cumsum(chosen))
    first, last = values.around_truth(reach)
    return np.asarray((likely[last] - likely[first]) / likely[-1])
