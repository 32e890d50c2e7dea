"""What an intruder guesses from the released records nearest to a person, and how often the guess is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ammg.kernels.blocks import over_blocks
from ammg.kernels.inference.likely_values import gather, guess
from ammg.kernels.linkage.nearest import k_nearest, runs
from ammg.kernels.orders import run_starts, stable_order
from ammg.kernels.threads import in_threads

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

TIED = 20  # equally near combinations of values that are used, with all their records
ROUNDING = 1e-9
POINTS, RECORDS = 4096, 1 << 18  # at a time, at most


class Right(NamedTuple):
    """The probability that each person's hidden values are guessed correctly, one array for each reach."""

    nearest: list[Floats]  # from the records nearest to the person
    margins: list[Floats]  # from all records, by an intruder who knows nobody


def right_guesses(
    people: Floats,
    records: Floats,
    kinds: Ints | None,
    shown: Floats,
    truth: Floats,
    reaches: Sequence[Floats],
) -> Right:
    """The probability that each person's hidden values are guessed correctly from released records.

    `people` and `records` are points in one space; `shown` are the hidden attributes of the records and `truth` those
    of the people, NaN if missing. For each attribute, `nearest` uses the nearest records that show it, and `margins`
    all of them. The guess is the value with most of these records within reach; if several are tied, one is chosen at
    random. Each of `reaches` has one number for each attribute.
    """
    right = Right(*([np.zeros(truth.shape, order="F") for _ in reaches] for _ in range(2)))
    seen = ~np.isnan(shown)
    alike: dict[bytes, list[int]] = {}
    for j in np.flatnonzero(seen.any(axis=0)).tolist():
        alike.setdefault(seen[:, j].tobytes(), []).append(j)
    for columns in alike.values():
        some = np.flatnonzero(seen[:, columns[0]])
        near = _nearest(people, records[some], kinds)

        def guess_column(j: int, some: Ints = some, near: _Nearest = near) -> None:
            values = _Values.of(shown[some, j], truth[:, j])
            found: dict[float, tuple[Floats, Floats]] = {}
            for k, reach in enumerate(reaches):
                if reach[j] not in found:
                    found[reach[j]] = _right(near, values, float(reach[j]))
                right.nearest[k][:, j], right.margins[k][:, j] = found[reach[j]]

        in_threads(guess_column, columns, shown.size)
    return right


class _Values(NamedTuple):
    """The values that records show in one attribute, and those of the people."""

    distinct: Floats  # in order
    place: Ints  # of each record among them
    counts: Ints
    truth: Floats  # of the people whose value is not missing, in order
    people: Ints  # these people, in the same order
    everybody: int  # the number of all people

    @classmethod
    def of(cls, shown: Floats, truth: Floats) -> _Values:
        order = stable_order(shown)
        ordered = shown[order]
        starts = run_starts(ordered)
        people = stable_order(truth)[: len(truth) - np.count_nonzero(np.isnan(truth))]
        counts = np.diff(starts, append=len(shown))
        place = np.empty(len(shown), dtype=np.int64)
        place[order] = np.repeat(np.arange(len(starts)), counts)
        return cls(ordered[starts], place, counts, truth[people], people, len(truth))

    def around(self, reach: float) -> Ints:
        """The places from which, and up to which, values lie within reach of each value."""
        return self._windows(self.distinct, reach)

    def around_truth(self, reach: float) -> Ints:
        """The same for the values of the people, in their order."""
        return self._windows(self.truth, reach)

    def _windows(self, centres: Floats, reach: float) -> Ints:
        """The window around each centre, its ends side by side; the centres must be sorted."""
        return np.column_stack(
            [
                np.searchsorted(self.distinct, centres - reach),
                np.searchsorted(self.distinct, centres + reach, "right"),
            ]
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


def _right(near: _Nearest, values: _Values, reach: float) -> tuple[Floats, Floats]:
    """The probabilities for one attribute; values of people about whom nothing is known are guessed by chance."""
    around, of_truth, distinct = values.around(reach), values.around_truth(reach), len(values.distinct)
    right, chance = np.zeros(values.everybody), np.zeros(values.everybody)
    chance[values.people] = _right_by_chance(values.counts, around, of_truth)
    windows = np.zeros((values.everybody, 2), dtype=np.int64)  # missing values have nothing around them
    windows[values.people] = of_truth

    def work(start: int, stop: int) -> None:
        span, sizes = slice(start, stop), near.sizes[start:stop]
        keys = np.empty(int(sizes.sum()), dtype=np.int64)
        gather(near.nearest[span], near.tied[span], near.records, near.begins, values.place, distinct, keys)
        keys.sort()
        room = np.empty(len(keys), dtype=np.int64), np.empty(len(keys) + 1, dtype=np.int64)
        guess(keys, sizes, distinct, around, near.people, near.starts[start : stop + 1], windows, *room, right)

    points = len(near.sizes)
    over_blocks(work, points, block=int(np.clip(RECORDS * points // max(int(near.sizes.sum()), 1), 1, POINTS)))
    if not near.sizes.all():
        unknown = near.people[np.repeat(near.sizes == 0, np.diff(near.starts))]
        right[unknown] = chance[unknown]
    return right, chance


def _right_by_chance(counts: Ints, around: Ints, of_truth: Ints) -> Floats:
    """The same for an intruder who knows nobody, for each of the windows around true values."""
    before = np.append(0, np.cumsum(counts))
    support = before[around[:, 1]] - before[around[:, 0]]
    chosen = np.where(support == support.max(), counts, 0)
    likely = np.append(0, np.cumsum(chosen))
    return np.asarray((likely[of_truth[:, 1]] - likely[of_truth[:, 0]]) / likely[-1])
