import pytest
from beside import found

import ammg


def test_the_counts_of_filled_cells_are_compared_relatively() -> None:
    assert found(ammg.RAAD(), {"a": list("xxxy")}, {"a": list("xxyy")}).value == pytest.approx((1 / 3 + 1) / 2)


def test_cells_that_the_original_leaves_empty_are_left_out() -> None:
    before, after = {"a": list("xxy"), "b": list("uuv")}, {"a": list("xxy"), "b": list("uvv")}
    assert found(ammg.RAAD(order=2), before, after).value == pytest.approx((1 / 2 + 0) / 2)
