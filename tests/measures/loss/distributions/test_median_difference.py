import pytest
from columns_beside import loss_by

import ammg


def test_medians_are_compared_relatively() -> None:
    found = loss_by(ammg.MedianDifference(), [[1, 2, 9], [2, 4, 6]], [[9, 3, 1], [6, 4, 2]])
    assert found.by_column == {"x0": pytest.approx(0.5), "x1": 0}
    assert found.tables["differences"].lookup("attribute", "percent") == {"x0": pytest.approx(50), "x1": 0}


def test_an_even_number_of_values_has_its_median_between_two() -> None:
    assert loss_by(ammg.MedianDifference(), [[1, 2, 4, 9]], [[1, 3, 6, 9]]).value == pytest.approx(0.5)


def test_a_median_that_the_release_does_not_have_is_charged_one() -> None:
    assert loss_by(ammg.MedianDifference(), [[1, 2]], [[None, None]]).value == 1


def test_a_median_of_zero_is_no_denominator() -> None:
    assert loss_by(ammg.MedianDifference(), [[-1, 0, 1]], [[1, 2, 3]]).reason == "every denominator is zero"
