from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from ammg.kernels.anonymity.cells import Cells, count_cells

tables = st.integers(1, 4).flatmap(
    lambda m: hnp.arrays(np.int32, st.tuples(st.integers(0, 40), st.just(m)), elements=st.integers(-1, 3))
)


def columns(table):
    return [np.ascontiguousarray(column) for column in table.T]


@settings(max_examples=60, deadline=None)
@given(tables)
def test_every_record_counts_the_records_equal_to_it(table):
    cells = count_cells(columns(table), [4] * table.shape[1])
    count = Counter(map(tuple, table))
    assert cells.frequencies.tolist() == [count[tuple(row)] for row in table]
    assert len(cells) == len(count)


@settings(max_examples=60, deadline=None)
@given(tables)
def test_cells_are_numbered_as_they_appear(table):
    cells = count_cells(columns(table), [4] * table.shape[1])
    assert cells.index[cells.first].tolist() == list(range(len(cells)))
    assert np.all(np.diff(cells.first) > 0)
    assert cells.counts.sum() == len(table)


@settings(max_examples=60, deadline=None)
@given(tables)
def test_members_lists_each_cell_in_file_order(table):
    cells = count_cells(columns(table), [4] * table.shape[1])
    order, starts = cells.members()
    assert sorted(order.tolist()) == list(range(len(table)))
    for cell in range(len(cells)):
        assert order[starts[cell] : starts[cell + 1]].tolist() == np.flatnonzero(cells.index == cell).tolist()


@pytest.mark.parametrize("size", [3, 1_000, 2_000_000_000])  # a dense table, a hash table, keys beyond 64 bits
def test_small_large_and_overflowing_keys_give_the_same_cells(size):
    rng = np.random.default_rng(5)
    table = rng.integers(-1, 3, (5_000, 7)).astype(np.int32)
    cells = count_cells(columns(table), [size] * 7)
    _, expected = np.unique(table, axis=0, return_inverse=True)
    assert np.array_equal(cells.frequencies, np.bincount(expected)[expected])


def test_combinations_that_differ_only_in_a_huge_code_stay_apart():
    far = np.array([2**31 - 2, 2**31 - 3, 2**31 - 2], np.int32)
    cells = count_cells([far, far, far], [2**31 - 1] * 3)
    assert cells.index.tolist() == [0, 1, 0]


def test_weights_are_summed_by_cell():
    cells = count_cells([np.array([0, 1, 0], np.int32)], [2])
    assert cells.sums(np.array([2.0, 3.0, 5.5])).tolist() == [7.5, 3.0]


def test_without_keys_all_records_share_one_cell():
    assert count_cells([], [], n=3).frequencies.tolist() == [3, 3, 3]
    assert len(count_cells([], [], n=0)) == 0


def test_an_empty_file_has_no_cells():
    assert len(count_cells([np.empty(0, np.int32)] * 2, [3, 3])) == 0


def test_a_key_without_a_size_is_refused():
    with pytest.raises(ValueError, match="There are 2 keys but 1 sizes"):
        count_cells([np.zeros(1, np.int32)] * 2, [1])


def test_frequencies_are_computed_once():
    cells = Cells(np.zeros(2, np.int32), np.zeros(1, np.int64), np.array([2]))
    assert cells.frequencies is cells.frequencies
