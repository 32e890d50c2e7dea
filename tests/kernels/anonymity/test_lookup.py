"""Rows of a small table in large columns."""

from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.anonymity.lookup import find_rows


def test_every_record_finds_its_row_or_none() -> None:
    rng = np.random.default_rng(1)
    records = rng.integers(-1, 4, (5_000, 3)).astype(np.int32)
    table = np.unique(records, axis=0)[::2]
    found = find_rows(table, [np.ascontiguousarray(column) for column in records.T])
    place = {tuple(row): number for number, row in enumerate(table.tolist())}
    assert found.tolist() == [place.get(tuple(row), -1) for row in records.tolist()]


def test_an_empty_table_holds_nobody() -> None:
    assert find_rows(np.zeros((0, 1), np.int32), [np.array([0, 1], np.int32)]).tolist() == [-1, -1]


@pytest.mark.parametrize("few", [0, 2048], ids=["compiled", "numpy"])
@pytest.mark.parametrize(("columns", "values"), [(3, 10), (4, 40_000), (9, 2**31 - 2)])
def test_few_many_and_very_many_combinations_are_looked_up_alike(
    columns: int, values: int, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ammg.kernels.anonymity.lookup._FEW", few)
    rng = np.random.default_rng(2)
    some = rng.integers(-1, values, (300, columns)).astype(np.int32)
    table = np.unique(some[:100], axis=0)
    near = some.copy()
    near[:, -1] += 1  # no row, but for the last value
    records = np.concatenate([some, near])
    found = find_rows(table, list(np.ascontiguousarray(records.T)))
    place = {tuple(row): number for number, row in enumerate(table.tolist())}
    assert found.tolist() == [place.get(tuple(row), -1) for row in records.tolist()]
