from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp

from ammg.kernels.factorize import factorize


@settings(max_examples=60, deadline=None)
@given(hnp.arrays(np.float64, hnp.array_shapes(max_dims=1, min_side=0, max_side=30)))
def test_codes_lead_back_to_the_values(values):
    codes, distinct = factorize(values)
    assert np.array_equal(codes == -1, np.isnan(values))
    assert np.array_equal(distinct[codes[codes >= 0]], values[~np.isnan(values)])
    assert np.array_equal(distinct, np.unique(values[~np.isnan(values)]))
    assert codes.dtype == np.int32


def test_every_kind_of_nan_is_missing():
    odd = np.array([0x7FF8000000000001], np.uint64).view(np.float64)[0]
    assert factorize(np.array([1.0, np.nan, odd, -np.nan]))[0].tolist() == [0, -1, -1, -1]


def test_minus_zero_is_zero():
    codes, distinct = factorize(np.array([0.0, -0.0, -1.0]))
    assert codes.tolist() == [1, 1, 0]
    assert distinct.tolist() == [-1.0, 0.0]


def test_the_input_is_left_alone():
    values = np.array([-0.0, 1.0])
    factorize(values)
    assert np.signbit(values[0])
