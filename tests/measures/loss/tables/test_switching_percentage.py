import numpy as np
import pytest
from beside import found, masked

import ammg


def test_sullivan_and_fullers_table_switches_65_of_300_records() -> None:
    table = np.array([[64, 4, 4, 9], [4, 19, 3, 4], [5, 3, 37, 8], [8, 7, 6, 115]])  # their Table 4.1
    rows, columns = (np.repeat(side.ravel(), table.ravel()) for side in np.indices(table.shape))
    before, after = ({"x4": [f"category {code}" for code in side]} for side in (rows, columns))
    assert 100 * found(ammg.SwitchingPercentage(), before, after).value == pytest.approx(21.67, abs=0.005)


def test_a_value_in_its_own_class_did_not_switch() -> None:
    table = {"town": ["Lyon", "Nice", "Bonn", "Kiel"]}
    recoding = ammg.GlobalRecoding(columns="town", map={"Lyon": "France", "Nice": "France"})
    assert masked(ammg.SwitchingPercentage(), table, recoding).value == 0


def test_bands_of_numbers_switch_too_and_so_does_what_is_gone() -> None:
    before, after = {"x": list(range(10))}, {"x": [9, *range(1, 9), None]}
    assert found(ammg.SwitchingPercentage(columns="x", bands=2), before, after).value == pytest.approx(0.2)
