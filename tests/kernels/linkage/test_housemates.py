from __future__ import annotations

from itertools import permutations

import numpy as np

from ammg.kernels.linkage.housemates import Homes, number_compositions, with_housemates


def test_a_household_is_told_by_all_its_members():
    people = np.array([[30, 50], [30, 75], [60, 50]]).reshape(-1)
    homes = Homes.of(np.array([0, 0, 1, 1, 2, 2]), np.array([0, 0, 1, 1, 2, 2]))
    likelihood = -0.5 * np.square(people[:, None] - people) / 5**2
    alone, together = (
        np.exp(x - x.max(axis=1, keepdims=True)) for x in (likelihood, with_housemates(likelihood, homes))
    )
    assert np.diagonal(alone / alone.sum(axis=1, keepdims=True)).min() < 0.6
    assert np.diagonal(together / together.sum(axis=1, keepdims=True)).min() > 0.85


def test_sizes_exclude_households_where_nobody_is_missing():
    likelihood = np.zeros((3, 3))
    complete = with_housemates(likelihood, Homes.of(np.array([0, 0, 1]), np.array([1, 0, 0])))
    assert complete.argmax(axis=1).tolist()[2] == 0
    assert (complete[0, 1:] > complete[0, 0] + 10).all()
    lost = with_housemates(likelihood[:1], Homes.of(np.array([0]), np.array([1, 0, 0])))
    assert (lost == lost[0, 0]).all()  # a member who is left may come from any household


def test_compositions_are_equal_whatever_the_order_of_members():
    kinds, homes = np.array([0, 1, 1, 0, 2, 2, 0, 1, 1]), np.array([0, 0, 1, 1, 2, 3, 4, 4, 4])
    numbers = number_compositions(kinds, homes)
    assert numbers[0] == numbers[3]
    assert numbers[1] == numbers[2]
    assert numbers[4] == numbers[5]
    assert len({numbers[0], numbers[1], numbers[4], numbers[6], numbers[7]}) == 5
    assert numbers[7] == numbers[8]
    for order in list(permutations(range(3)))[:3]:
        some = np.array([0, 1, 2])[list(order)]
        assert len(np.unique(number_compositions(some, np.zeros(3, dtype=np.int64)))) == 3
