"""Tables rolled up from finer ones."""

from __future__ import annotations

import numpy as np

from ammg.kernels.recoding.roll_up import CellTable, roll_up


def test_cells_that_become_equal_add_up() -> None:
    table = CellTable((np.array([0, 1, 2, -1], np.int32),), (), np.array([5, 3, 2, 1]), np.array([5.0, 3.5, 2.0, 1.0]))
    coarser = roll_up(table, {0: np.array([0, 0, 1, -1], np.int32)}, [2])
    assert dict(zip(coarser.keys[0].tolist(), coarser.counts.tolist(), strict=True)) == {0: 8, 1: 2, -1: 1}
    assert coarser.weights is not None
    assert coarser.weights.sum() == table.weights.sum()  # type: ignore[union-attr]


def test_sensitive_values_stay_apart() -> None:
    key, value = np.array([0, 1, 1], np.int32), np.array([0, 0, 1], np.int32)
    coarser = roll_up(CellTable((key,), (value,), np.array([1, 2, 4])), {0: np.array([0, 0, -1], np.int32)}, [1, 2])
    assert sorted(zip(coarser.sensitive[0].tolist(), coarser.counts.tolist(), strict=True)) == [(0, 3), (1, 4)]
