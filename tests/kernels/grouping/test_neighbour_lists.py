import numpy as np

from ammg.kernels.grouping.mixed_records import mixed_records, numeric_records
from ammg.kernels.grouping.neighbour_lists import cut_into_cells, neighbour_lists


def test_lists_of_few_records_are_exact():
    data = np.random.default_rng(0).normal(size=(300, 4))
    lists = neighbour_lists(numeric_records(data), 7, np.random.default_rng(1))
    squares = ((data[:, None] - data[None]) ** 2).sum(axis=2)
    np.fill_diagonal(squares, np.inf)
    np.testing.assert_array_equal(lists, np.argsort(squares, axis=1)[:, :7])


def test_lists_of_few_mixed_records_are_exact():
    rng = np.random.default_rng(6)
    data = np.column_stack([rng.normal(size=200), rng.integers(0, 3, 200)])
    records = mixed_records(data, np.array([False, True]))
    lists = neighbour_lists(records, 7, rng)
    number, code = records.values.T
    squares = (number[:, None] - number) ** 2 + records.mismatch[1] * (code[:, None] != code)
    np.fill_diagonal(squares, np.inf)
    np.testing.assert_array_equal(lists, np.argsort(squares, axis=1)[:, :7])


def test_equal_records_are_each_other_s_neighbours_and_never_their_own():
    data = np.repeat([[0.0, 0.0], [9.0, 9.0]], 50, axis=0)
    lists = neighbour_lists(numeric_records(data), 5, np.random.default_rng(1))
    assert (lists != np.arange(100)[:, None]).all()
    assert all(len(set(row)) == 5 for row in lists)
    np.testing.assert_array_equal(lists // 50, np.arange(100)[:, None] // 50 * np.ones(5, dtype=int))


def test_lists_of_many_records_hold_most_of_the_nearest():
    data = np.random.default_rng(2).normal(size=(6_000, 3))
    lists = neighbour_lists(numeric_records(data), 8, np.random.default_rng(3))
    assert (lists >= 0).all()
    found = 0
    for i in range(0, 6_000, 60):
        squares = ((data - data[i]) ** 2).sum(axis=1)
        squares[i] = np.inf
        near = squares[lists[i]]
        assert i not in lists[i]
        assert len(set(lists[i])) == 8
        assert (np.diff(near) >= 0).all()
        found += len(set(lists[i]) & set(np.argsort(squares)[:8]))
    assert found > 0.7 * 8 * 100


def test_cells_hold_every_record_once_and_are_small():
    order, starts = cut_into_cells(np.random.default_rng(4).normal(size=(1_000, 2)), 64, np.random.default_rng(5))
    np.testing.assert_array_equal(np.sort(order), np.arange(1_000))
    sizes = np.diff(starts, append=1_000)
    assert sizes.max() <= 64
    assert sizes.min() >= 32 - 1
    identical, _ = cut_into_cells(np.zeros((100, 2)), 10, np.random.default_rng(5))
    np.testing.assert_array_equal(np.sort(identical), np.arange(100))


def test_two_records_are_each_other_s_neighbour():
    lists = neighbour_lists(numeric_records(np.array([[0.0], [1.0]])), 12, np.random.default_rng(0))
    np.testing.assert_array_equal(lists, [[1], [0]])
