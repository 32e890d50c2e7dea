"""Deviations within groups against numpy's."""

import numpy as np
import polars as pl
import pytest

from ammg.data.microdata import Microdata
from ammg.draws import CHUNK
from ammg.engines.local import LocalEngine
from ammg.summaries.group_moments import GroupMoments, GroupValues, places_in
from ammg.summaries.summary import Source


def source(table: pl.DataFrame) -> Source:
    return LocalEngine(1).open(Microdata(table))


def grouped(table: pl.DataFrame, within: tuple[str, ...], weight: str | None = None) -> GroupValues:
    return source(table).fold(GroupMoments("x", within, weight))


@pytest.mark.parametrize("weight", [None, "w"])
def test_deviations_are_numpys_in_every_group_over_several_chunks(weight: str | None) -> None:
    n, rng = 2 * CHUNK + 1000, np.random.default_rng(1)
    a, b = rng.integers(0, 5, n), np.where(np.arange(n) < CHUNK, 0, rng.integers(0, 3, n))  # b = 1, 2: not in the first
    x = 1e8 + a * 1e3 + rng.normal(size=n) * (1 + b)
    x[rng.random(n) < 0.1] = np.nan
    table = pl.DataFrame({"x": x, "a": a, "b": b, "w": rng.uniform(1, 9, n)}, nan_to_null=True)
    found = grouped(table, ("a", "b"), weight)
    assert found.groups.tolist() == [[i, j] for i in range(5) for j in range(3)]
    for row, (i, j) in enumerate(found.groups):
        mine = (a == i) & (b == j) & ~np.isnan(x)
        weights = table["w"].to_numpy()[mine] if weight else None
        assert found.count[row] == found.positive[row] == mine.sum()
        np.testing.assert_allclose(found.deviation[row], np.sqrt(np.cov(x[mine], aweights=weights)), rtol=1e-10)


def test_missing_groups_are_a_group_and_zeros_are_counted_by_weight() -> None:
    table = pl.DataFrame({"x": [0.0, 2, 0, 5, None], "g": [1, 1, None, None, 3], "w": [1.0, 2, 3, 0, 1]})
    found = grouped(table, ("g",), "w")
    assert found.groups[:, 0].tolist() == [1, 3, np.inf]
    assert found.count.tolist() == [2, 0, 2]
    assert found.positive.tolist() == [2, 0, 1]
    assert found.weight.tolist() == [3, 0, 3]
    assert found.nonzero.tolist() == [2, 0, 0]
    assert found.deviation[1:].tolist() == [0, 0]


def test_equal_values_have_no_deviation_whatever_rounding_leaves() -> None:
    table = pl.DataFrame({"x": [0.1] * 3 + [1e9 + 0.1] * 7 + [1.0, 2.0], "g": [1] * 3 + [2] * 7 + [3] * 2})
    assert grouped(table, ("g",)).deviation.tolist() == [0, 0, pytest.approx(np.sqrt(0.5))]


def test_records_find_their_group_and_no_record_has_none() -> None:
    table = pl.DataFrame({"x": [1.0, 2, 3, 4], "g": [7, None, 5, 7], "h": [1, 1, 2, 0]})
    groups = grouped(table, ("g", "h")).groups
    some = source(table.head(3)).block(("g", "h"))
    np.testing.assert_array_equal(groups[places_in(groups, some, ("g", "h"))], [[7, 1], [np.inf, 1], [5, 2]])
    assert grouped(table.head(0), ("g", "h")).groups.shape == (0, 2)
