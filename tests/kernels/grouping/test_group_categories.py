import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.grouping.group_categories import group_medians, group_modes, shared_categories


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 3), st.integers(1, 3)), min_size=1, max_size=30))
@settings(max_examples=200, deadline=None)
def test_modes_and_medians_are_those_of_repeated_values(rows):
    codes, group, weights = (np.array(column) for column in zip(*rows, strict=True))
    codes = codes.astype(np.int32)
    modes, medians = group_modes(codes, group, weights), group_medians(codes, group, weights.astype(float))
    assert len(modes) == len(medians) == group.max() + 1
    for g in range(group.max() + 1):
        values = np.repeat(codes, weights)[(np.repeat(group, weights) == g) & (np.repeat(codes, weights) >= 0)]
        if len(values) == 0:
            assert modes[g] == medians[g] == -1
        else:
            assert modes[g] == np.argmax(np.bincount(values))
            assert medians[g] == np.sort(values)[(len(values) - 1) // 2]


def test_without_weights_records_are_counted():
    codes, group = np.array([2, 2, 0, 1, 1, 3], np.int32), np.array([0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(group_modes(codes, group), [2, 1])
    np.testing.assert_array_equal(group_medians(codes, group), [2, 1])


def test_missing_values_stay_and_few_values_take_what_is_common():
    codes = np.array([1, 1, 2, -1, -1, 0, 3, 3, 3], np.int32)
    group = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
    np.testing.assert_array_equal(shared_categories(codes, group, 3), [1, 1, 1, -1, -1, 3, 3, 3, 3])
    two_few = np.array([1, -1, -1, 1, -1, -1, 0, -1, -1], np.int32)
    np.testing.assert_array_equal(shared_categories(two_few, group, 3), [1, -1, -1, 1, -1, -1, 1, -1, -1])
    np.testing.assert_array_equal(shared_categories(np.full(3, -1, np.int32), group[:3], 3), [-1, -1, -1])
