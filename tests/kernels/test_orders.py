"""Orders of values and of records are those of numpy, whatever the values and however many there are."""

from itertools import pairwise

import numpy as np
import pytest

from ammg.kernels import orders
from ammg.kernels.orders import dense_ranks, equal_rows, first_rows, lexical_order, stable_order

SIZES = (2_000, 20_000)  # compared, and sorted by digits or packed with their rows


@pytest.fixture(autouse=True, params=[False, True], ids=["by digits", "packed"])
def way_of_sorting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on machines whose numpy sorts without and with vector instructions."""
    monkeypatch.setattr(orders, "_sorts_with_vectors", lambda: request.param)
    monkeypatch.setattr(orders, "_BLOCK", 1_000)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("distinct", [1, 3, 900, 10**6, 2**40])
def test_the_order_of_values_is_numpys_stable_one(distinct: int, size: int) -> None:
    rng = np.random.default_rng(distinct)
    whole = rng.integers(-distinct, distinct, size)
    assert (stable_order(whole) == np.argsort(whole, kind="stable")).all()
    values = whole / 7.0
    assert (stable_order(values) == np.argsort(values, kind="stable")).all()
    for special in (np.nan, -np.nan, -0.0, 0.0, np.inf, -np.inf, 5e-324, -5e-324):
        values[rng.integers(0, size, 60)] = special
    assert (stable_order(values) == np.argsort(values, kind="stable")).all()


def test_the_first_row_of_each_number_is_found() -> None:
    numbers = np.random.default_rng(2).permutation(np.repeat(np.arange(300), 40))
    assert (first_rows(numbers) == np.unique(numbers, return_index=True)[1]).all()
    assert len(first_rows(numbers[:0])) == 0


@pytest.mark.parametrize("far", [1e300, np.inf, np.nan])
def test_values_that_differ_in_their_last_bits_alone_have_an_order(far: float) -> None:
    rng = np.random.default_rng(5)
    values = 1.0 + rng.integers(0, 5_000, SIZES[1]) * 2.0**-52  # beside so distant ones, their first bits are equal
    values[rng.integers(0, SIZES[1], 40)] = -far
    assert (stable_order(values) == np.argsort(values, kind="stable")).all()


def test_values_in_every_other_place_of_an_array_have_an_order_too() -> None:
    values = np.random.default_rng(2).normal(size=(SIZES[1], 2))
    assert (stable_order(values[:, 1]) == np.argsort(values[:, 1], kind="stable")).all()


def test_nothing_and_one_value_have_an_order() -> None:
    assert stable_order(np.zeros(0)).tolist() == []
    assert stable_order(np.full(1, np.nan)).tolist() == [0]


@pytest.mark.parametrize("size", SIZES)
def test_ranks_number_the_distinct_values(size: int) -> None:
    rng = np.random.default_rng(size)
    values = rng.integers(-50, 50, size) / 3.0
    values[rng.integers(0, size, 60)] = np.nan
    values[rng.integers(0, size, 60)] = -0.0
    assert (dense_ranks(values) == np.unique(values, return_inverse=True)[1]).all()
    assert dense_ranks(np.zeros(0)).tolist() == []


@pytest.mark.parametrize("size", [500, SIZES[1]])
@pytest.mark.parametrize("distinct", [2, 40, 10**6, 10**12])
@pytest.mark.parametrize("unit", [1.0, 0.1, (1.0, 1.0, 0.1), (1.0, 0.1, 0.1)])
def test_rows_are_ordered_as_lexsort_orders_them(distinct: int, unit: float | tuple[float, ...], size: int) -> None:
    rng = np.random.default_rng(distinct)
    rows = unit * rng.integers(-1, distinct, (size, 3)).astype(np.float64)
    rows[::7, 1] = np.nan
    rows[::50, 0] = np.nan
    rows[300:350] = rows[100:150]
    order, tied = lexical_order(rows.T, size)
    assert (order == np.lexsort(rows.T[::-1])).all()
    expected = [np.array_equal(before, after, equal_nan=True) for before, after in pairwise(rows[order])]
    assert tied[1:].tolist() == expected
    assert not tied[0]
    assert (equal_rows(rows.T, size)[order] == np.cumsum(~tied) - 1).all()


def test_infinite_and_huge_values_are_ordered_with_the_others() -> None:
    rows = np.array([[2.0**60, 1.0], [np.inf, 0.0], [-np.inf, 3.0], [1.0, np.nan], [1.0, -(2.0**55)], [np.nan, 2.0]])
    order = np.lexsort(rows.T[::-1])
    assert lexical_order(rows.T, len(rows))[0].tolist() == order.tolist()
    assert equal_rows(rows.T, len(rows))[order].tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("special", [None, np.nan, -0.0, 2.0**31, -(2.0**31), -(2.0**31) - 1, 2.0**40, np.inf, 0.5])
def test_whole_numbers_with_others_among_them_are_numbered_in_order(special: float | None) -> None:
    values = np.random.default_rng(7).integers(-30, 30, 5_000).astype(np.float64)
    if special is not None:
        values[[17, 2_500]] = special
    assert (equal_rows([values], len(values)) == dense_ranks(values)).all()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "uint32", "int64", "uint64", "float32", "bool"])
@pytest.mark.parametrize("size", [500, SIZES[1]])
def test_numbers_of_any_type_have_an_order(dtype: str, size: int) -> None:
    rng = np.random.default_rng(3)
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        columns = rng.integers(np.iinfo(kind).min, np.iinfo(kind).max, (2, size), dtype=kind, endpoint=True)
    else:
        columns = (rng.normal(size=(2, size)) * 3).astype(kind)
    columns[0, ::2] = columns[0, 0]
    assert (stable_order(columns[1]) == np.argsort(columns[1], kind="stable")).all()
    assert (lexical_order(list(columns), size)[0] == np.lexsort(columns[::-1])).all()


def test_rows_without_columns_are_all_equal() -> None:
    order, tied = lexical_order([], 3)
    assert order.tolist() == [0, 1, 2]
    assert tied.tolist() == [False, True, True]
    assert equal_rows([], 3).tolist() == [0, 0, 0]
    assert equal_rows([np.zeros(0)], 0).tolist() == []
    assert lexical_order([np.zeros(0), np.zeros(0)], 0)[0].tolist() == []
