from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from ammg.kernels.inference.likely_values import gather, guess


@pytest.mark.parametrize("reach", [0, 1, 3])
def test_the_value_with_most_values_around_it_is_guessed(reach: int) -> None:
    rng = np.random.default_rng(reach)
    distinct, sizes = 9, np.array([12, 1, 30])
    shown = [np.sort(rng.integers(0, distinct, size)) for size in sizes]
    truth = rng.integers(0, distinct, 60)
    starts = np.array([0, 20, 40, 60])
    values = np.arange(distinct)
    around = np.column_stack([np.maximum(values - reach, 0), np.minimum(values + reach + 1, distinct)])
    keys = np.concatenate([point * distinct + some for point, some in enumerate(shown)])
    right = np.full(60, np.nan)
    room = np.empty(len(keys), dtype=np.int64), np.empty(len(keys) + 1, dtype=np.int64)
    guess(keys, sizes, distinct, around, np.arange(60), starts, around[truth], *room, right)
    for point, some in enumerate(shown):
        counts = Counter(some.tolist())
        support = {value: sum(counts[other] for other in range(value - reach, value + reach + 1)) for value in counts}
        likely = [value for value in some if support[value] == max(support.values())]
        for person in range(starts[point], starts[point + 1]):
            expected = np.mean([abs(value - truth[person]) <= reach for value in likely])
            assert right[person] == pytest.approx(expected)


def test_all_records_at_the_nearest_places_are_gathered() -> None:
    nearest, tied = np.array([[1, 0], [0, 2], [2, -1]]), np.array([1, 2, 2])
    records, begins = np.array([4, 3, 2, 1, 0]), np.array([0, 2, 3, 5])  # of places 0, 1 and 2
    values = np.array([5, 6, 7, 8, 9])
    keys = np.full(8, -1)
    gather(nearest, tied, records, begins, values, 10, keys)
    assert keys.tolist() == [7, 19, 18, 16, 15, 26, 25, -1]
