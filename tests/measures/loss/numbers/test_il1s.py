import numpy as np
import pytest
from columns_beside import Columns, loss_by

import ammg


def loss(before: Columns, after: Columns, **options: object) -> ammg.Measurement:
    return loss_by(ammg.IL1s(**options), before, after)


def test_a_change_is_divided_by_root_two_deviations_of_the_original() -> None:
    before, after = [0.0, 2.0, 4.0], [1.0, 2.0, 4.0]
    assert loss([before], [after]).value == pytest.approx(1 / (np.sqrt(2) * 2) / 3)


def test_units_do_not_matter() -> None:
    before, after = np.array([1.0, 5, 9, 2]), np.array([2.0, 5, 7, 2])
    assert loss([before], [after]).value == pytest.approx(loss([before * 1000], [after * 1000]).value)


def test_a_suppressed_cell_is_charged_as_the_released_mean() -> None:
    before = [0.0, 2.0, 4.0, 10.0]
    found = loss([before], [[0.0, 2.0, 4.0, None]])
    assert found.value == pytest.approx(8 / (np.sqrt(2) * np.std(before, ddof=1)) / 4)


def test_a_constant_column_is_left_out() -> None:
    found = loss([[1, 2], [3, 3]], [[1, 2], [4, 4]])
    assert found.value == 0
    assert found.facts["skipped"] == 2
