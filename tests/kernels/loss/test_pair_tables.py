import numpy as np

from ammg.kernels.loss.pair_tables import pair_tables
from ammg.kernels.loss.tables import cross_counts, filled_cells


def test_tables_counted_together_are_those_counted_one_by_one() -> None:
    rng = np.random.default_rng(1)
    sizes = [3, 7, 1]
    columns = [rng.integers(-1, size, 500).astype(np.int32) for size in sizes]
    pairs = [(0, 1), (1, 2), (2, 0), (1, 1)]
    for weights in (None, rng.random(500)):
        for (one, other), table in zip(pairs, pair_tables(columns, sizes, pairs, weights), strict=True):
            expected = cross_counts([columns[one], columns[other]], [sizes[one], sizes[other]], weights)
            np.testing.assert_array_equal(table, expected)


def test_no_pair_has_no_table() -> None:
    assert pair_tables([], [], []) == []


def test_filled_cells_are_those_of_the_table_whether_it_is_made_or_not() -> None:
    rng = np.random.default_rng(2)
    for size in (3, 900):
        rows, columns = (rng.integers(-1, size, 400).astype(np.int32) for _ in range(2))
        table = cross_counts([rows, columns], [size, size])[:-1]
        row, column, counts = filled_cells(rows, columns, size, size)
        np.testing.assert_array_equal(np.stack([row, column]), np.nonzero(table))
        np.testing.assert_array_equal(counts, table[row, column])
