from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.kernels.population.log_linear.ipf import margin_counts, sum_margin
from ammg.kernels.population.log_linear.layout import Layout

shapes = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)


@settings(max_examples=60, deadline=None)
@given(shapes, st.data())
def test_margins_are_those_of_the_table(shape, data):
    axes = data.draw(st.sets(st.integers(0, len(shape) - 1)))
    layout = Layout(shape)
    table = np.random.default_rng(1).random(shape)
    margin = layout.margin(tuple(axes))
    found = np.empty(margin.size)
    sum_margin(layout.flatten(table), margin.bases, margin.step, layout.length, found)
    expected = table.sum(axis=tuple(axis for axis in range(len(shape)) if axis not in axes))
    kept = [axis for axis in layout.order if axis in axes]
    assert np.allclose(found, np.transpose(expected, [sorted(axes).index(axis) for axis in kept]).ravel())


@settings(max_examples=60, deadline=None)
@given(shapes)
def test_records_find_their_cell_and_cells_their_codes(shape):
    layout = Layout(shape)
    rng = np.random.default_rng(2)
    codes = [rng.integers(0, size, 50).astype(np.int32) for size in shape]
    table = np.zeros(shape)
    np.add.at(table, tuple(codes), 1)
    cells = layout.locate(codes)
    assert np.array_equal(np.bincount(cells, minlength=layout.size), layout.flatten(table))
    assert all(np.array_equal(a, b) for a, b in zip(layout.coordinates(cells), codes, strict=True))
    assert np.array_equal(layout.unflatten(layout.flatten(table)), table)


def test_margins_of_cells_are_margins_of_the_table():
    layout = Layout((3, 5, 2))
    counts = np.arange(4.0)
    cells = np.array([0, 7, 7, 29])
    dense = np.bincount(cells, weights=counts, minlength=layout.size)
    margin = layout.margin((0, 1))
    expected = np.empty(margin.size)
    sum_margin(dense, margin.bases, margin.step, layout.length, expected)
    assert np.array_equal(margin_counts(layout, margin, cells, counts), expected)


def test_a_table_that_is_too_large_is_refused_with_advice():
    with pytest.raises(ValueError, match=r"span 100,000,000 cells.*recode the keys"):
        Layout((100, 100, 100, 100))


def test_missing_values_must_be_placed_by_the_caller():
    with pytest.raises(ValueError, match="category of their own"):
        Layout((2,)).locate([np.array([-1], np.int32)])


def test_a_key_without_categories_is_refused():
    with pytest.raises(ValueError, match="at least one category"):
        Layout((2, 0))
