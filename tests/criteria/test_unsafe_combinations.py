from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ammg.criteria.unsafe_combinations import find_unsafe_combinations, subsets_by_level, subsets_up_to

tables = hnp.arrays(np.int32, st.tuples(st.integers(1, 25), st.just(3)), elements=st.integers(-1, 2))


def columns(table):
    return [np.ascontiguousarray(column) for column in table.T]


@settings(max_examples=60, deadline=None)
@given(tables, st.integers(1, 4))
def test_unsafe_combinations_are_those_that_counting_finds(table, k):
    found = find_unsafe_combinations(columns(table), [3] * 3, k, subsets_up_to(3, 2))
    by_record, total = np.zeros(len(table), int), 0
    by_category = np.zeros((3, 2, 3), int)
    for keys in subsets_up_to(3, 2):
        rows = [tuple(row[list(keys)]) for row in table]
        unsafe = {row for row, count in Counter(rows).items() if count < k and min(row) >= 0}
        by_record += [row in unsafe for row in rows]
        total += len(unsafe)
        for row in unsafe:
            for key, code in zip(keys, row, strict=True):
                by_category[key, len(keys) - 1, code] += 1
    assert found.total == total == sum(found.by_dimension().values())
    assert found.by_record.tolist() == by_record.tolist()
    assert [counts.tolist() for counts in found.by_category] == by_category.tolist()


def test_each_combination_names_its_values_and_a_record():
    found = find_unsafe_combinations(
        [np.array([0, 0, 1], np.int32), np.array([0, 0, 2], np.int32)], [2, 3], 2, [(0, 1)]
    )
    (cell,) = found.cells
    assert cell.keys == (0, 1)
    assert cell.codes.tolist() == [[1, 2]]
    assert cell.counts.tolist() == [1]
    assert cell.records.tolist() == [2]


def test_identification_levels_draw_from_ever_wider_sets():
    """One key of level 1, two of level 2, one of level 3: pairs need the first, triples may use all."""
    subsets = subsets_by_level([1, 2, 2, 3])
    assert [s for s in subsets if len(s) == 1] == [(0,)]
    assert [s for s in subsets if len(s) == 2] == [(0, 1), (0, 2)]
    assert [s for s in subsets if len(s) == 3] == [(0, 1, 2), (0, 1, 3), (0, 2, 3)]


def test_keys_of_level_zero_are_not_combined():
    assert subsets_by_level([0, 1, 0]) == [(1,)]
    assert subsets_by_level([0, 0]) == []


def test_each_dimension_may_have_its_own_k():
    codes = [np.array([0, 0, 1, 1], np.int32), np.array([0, 1, 0, 1], np.int32)]
    assert find_unsafe_combinations(codes, [2, 2], [3, 1], subsets_up_to(2, 2)).by_dimension() == {1: 4}
    with pytest.raises(ValueError, match="1 values do not fit subsets of up to 2 keys"):
        find_unsafe_combinations(codes, [2, 2], [3], subsets_up_to(2, 2))
