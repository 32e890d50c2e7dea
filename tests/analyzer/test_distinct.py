"""Distinct values in bounded memory."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ammg.analyzer.distinct import DistinctSample, DistinctValues


def sampled(column: pl.Series, capacity: int, part: int) -> DistinctValues:
    sample = DistinctSample(capacity)
    for start in range(0, len(column), part):
        sample.add(column.slice(start, part))
    return sample.finish()


def as_dict(values: DistinctValues) -> dict[object, int]:
    return dict(zip(values.values.to_list(), values.counts.to_list(), strict=True))


@settings(max_examples=40, deadline=None)
@given(
    st.one_of(
        st.lists(st.one_of(st.none(), st.integers(-9, 9)), max_size=60).map(lambda v: pl.Series(v, dtype=pl.Int64)),
        st.lists(st.one_of(st.none(), st.sampled_from("abc")), max_size=60).map(
            lambda v: pl.Series(v, dtype=pl.String)
        ),
        st.lists(st.sampled_from("abc"), max_size=60).map(lambda v: pl.Series(v, dtype=pl.Enum(list("abcd")))),
        st.lists(st.floats(-2, 2, width=16), max_size=60).map(lambda v: pl.Series(v, dtype=pl.Float64)),
        st.lists(st.booleans(), max_size=60).map(lambda v: pl.Series(v, dtype=pl.Boolean)),
    ),
    st.integers(1, 70),
)
def test_below_the_capacity_counts_are_exact(column: pl.Series, part: int) -> None:
    values = sampled(column, 1000, part)
    plain = column.drop_nulls()
    assert values.is_exact
    assert as_dict(values) == {value: int((plain == value).sum()) for value in plain.unique().to_list()}


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 500), st.integers(0, 100))
def test_the_sample_does_not_depend_on_order_and_parts(part: int, seed: int) -> None:
    column = pl.Series(np.random.default_rng(seed).integers(0, 10**6, 2_000))
    first = sampled(column, 64, part)
    again = sampled(column.shuffle(seed=seed), 64, 700)
    assert as_dict(first) == as_dict(again)
    assert first.share == again.share
    assert len(first.values) <= 64


@pytest.mark.parametrize("kind", ["integers", "texts", "floats"])
def test_the_number_of_values_and_of_single_ones_is_estimated(kind: str) -> None:
    numbers = np.concatenate([np.arange(100_000), np.arange(50_000)])  # half of the values occur twice
    column = pl.Series(numbers * 1_009)
    column = {"integers": column, "texts": column.cast(pl.String), "floats": column / 7}[kind]
    values = sampled(column, 4_096, 30_000)
    assert not values.is_exact
    assert values.number == pytest.approx(100_000, rel=4 / np.sqrt(2_048))
    assert values.single == pytest.approx(50_000, rel=4 / np.sqrt(1_024))
    assert not values.all_single


def test_different_values_everywhere_are_noticed() -> None:
    assert sampled(pl.Series(range(20_000)), 256, 3_000).all_single
