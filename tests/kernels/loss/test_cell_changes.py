"""What a cell loses, by hand."""

import pickle

import numpy as np
import pytest

from ammg.kernels.loss.cell_changes import (
    CappedChange,
    CellChange,
    RelativeChange,
    ScaledChange,
    SquaredChange,
    SquaredDeviation,
)

ORIGINAL = np.array([[1.0, 10.0], [2.0, 20.0], [np.nan, 30.0]])
MASKED = np.array([[3.0, 10.0], [np.nan, 25.0], [5.0, np.nan]])
SCALE, MEAN = np.array([2.0, 0.0]), np.array([4.0, 20.0])
NAN = np.nan
RULES: list[tuple[CellChange, list[list[float]]]] = [
    (ScaledChange(SCALE, MEAN), [[1.0, NAN], [1.0, NAN], [NAN, NAN]]),
    (SquaredChange(MEAN), [[4.0, 0.0], [4.0, 25.0], [NAN, 100.0]]),
    (SquaredDeviation(MEAN), [[9.0, 100.0], [4.0, 0.0], [NAN, 100.0]]),
    (RelativeChange("symmetric", "constant"), [[1.0, 0.0], [2.0, 2 * 5 / 45], [NAN, 2.0]]),
    (RelativeChange("original", "constant"), [[2.0, 0.0], [1.0, 0.25], [NAN, 1.0]]),
    (CappedChange(SCALE), [[1.0, 0.0], [1.0, 1.0], [NAN, 1.0]]),
]


@pytest.mark.parametrize(("rule", "expected"), RULES)
def test_each_rule_charges_what_is_gone(rule: CellChange, expected: list[list[float]]) -> None:
    assert rule(ORIGINAL, MASKED) == pytest.approx(np.array(expected), nan_ok=True)
    for place in (0, 1):
        alone = pickle.loads(pickle.dumps(rule)).at(place)(ORIGINAL[:, place], MASKED[:, place])
        assert alone == pytest.approx(np.array(expected)[:, place], nan_ok=True)
