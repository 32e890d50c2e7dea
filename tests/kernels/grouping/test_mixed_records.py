import numpy as np
import pytest

from ammg.kernels.grouping.mixed_records import dissimilarity, mixed_records, numeric_records, sketch

NOMINAL = np.array([False, True])


def test_plain_numbers_have_their_squared_distance():
    records = numeric_records(np.array([[0.0, 0.0], [3.0, 4.0]]))
    assert records.is_plain
    assert dissimilarity(records, 0, 1) == 25.0


def test_two_records_at_random_differ_by_2_in_each_attribute():
    rng = np.random.default_rng(0)
    values = np.column_stack([rng.lognormal(size=300), rng.choice(4, 300, p=[0.5, 0.3, 0.1, 0.1])])
    for j in range(2):
        records = mixed_records(values[:, [j]], NOMINAL[[j]])
        pairs = [dissimilarity(records, i, t) for i in range(300) for t in range(300)]
        assert np.mean(pairs) == pytest.approx(2.0 * (299 / 300 if j == 0 else 1.0), rel=1e-9)


def test_missing_values_are_left_out_and_the_rest_stands_for_the_whole():
    values = np.array([[0.0, 1.0, 5.0], [3.0, np.nan, 5.0], [np.nan, 7.0, np.nan]])
    records = numeric_records(values)
    assert dissimilarity(records, 0, 1) == 9.0 * 3 / 2
    assert dissimilarity(records, 0, 2) == 36.0 * 3
    assert dissimilarity(records, 1, 2) == 6.0  # nothing to compare


def test_weights_multiply_and_constants_drop_out():
    rng = np.random.default_rng(1)
    values = np.column_stack([rng.normal(size=20), rng.integers(0, 3, 20), np.full(20, 1e9 + 0.1), np.full(20, 7.0)])
    nominal = np.array([False, True, False, True])
    one = mixed_records(values, nominal)
    weighted = mixed_records(values, nominal, np.array([4.0, 0.0, 1.0, 1.0]))
    assert one.mismatch[3] == 0.0
    assert np.ptp(one.values[:, 2]) == 0.0
    number = (one.values[0, 0] - one.values[1, 0]) ** 2
    assert dissimilarity(weighted, 0, 1) == pytest.approx(4.0 * number)


def test_a_sketch_puts_categories_at_fitting_distances_on_average():
    rng = np.random.default_rng(2)
    values = np.column_stack([np.repeat([0.0, np.nan], 50), np.tile([0, 1], 50)])
    records = mixed_records(values, NOMINAL)
    squares = []
    for _ in range(2_000):
        points = sketch(records, rng)
        assert not np.isnan(points).any()
        squares.append((points[0, 1] - points[1, 1]) ** 2)
    assert np.mean(squares) == pytest.approx(records.mismatch[1], rel=0.15)


def test_without_standardising_numbers_count_as_they_are_and_a_mismatch_adds_1():
    records = mixed_records(np.array([[0.0, 1.0], [3.0, 2.0]]), NOMINAL, standardise=False)
    assert dissimilarity(records, 0, 1) == 10.0
