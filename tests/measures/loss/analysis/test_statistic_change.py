import numpy as np
import pytest
from beside import found, masked

import ammg

BEFORE = {"town": list("aabb"), "y": [1.0, 3.0, 4.0, 6.0], "w": [1.0, 1.0, 3.0, 1.0]}
AFTER = {**BEFORE, "y": [1.0, 3.0, 4.0, 9.0]}


@pytest.mark.parametrize(
    ("statistic", "before", "after"),
    [
        ("mean", 3.5, 4.25),
        ("total", 14, 17),
        ("median", 3.5, 3.5),
        ("variance", np.var([1, 3, 4, 6], ddof=1), np.var([1, 3, 4, 9], ddof=1)),
    ],
)
def test_statistics_are_compared_relatively(statistic: str, before: float, after: float) -> None:
    result = found(ammg.StatisticChange(statistic=statistic, of="y"), BEFORE, AFTER)
    assert result.value == pytest.approx((after - before) / before)


def test_the_worst_group_counts() -> None:
    assert found(ammg.StatisticChange(of="y", by="town"), BEFORE, AFTER).value == pytest.approx(1.5 / 5)


def test_weights_are_used() -> None:
    shift = ammg.TopCoding(columns="y", threshold=5, replacement="threshold")
    result = masked(ammg.StatisticChange(of="y"), BEFORE, shift, weight="w")
    assert result.value == pytest.approx(1 / (1 + 3 + 12 + 6))


def test_shares_of_categories_change_absolutely() -> None:
    result = found(ammg.StatisticChange(statistic="share", of="town"), BEFORE, {**BEFORE, "town": list("aaab")})
    assert result.value == pytest.approx(0.25)


def test_counts_of_groups() -> None:
    result = found(ammg.StatisticChange(statistic="count", by="town"), BEFORE, {**BEFORE, "town": list("aaab")})
    assert result.value == pytest.approx(0.5)


def test_a_statistic_that_the_release_does_not_have_changes_by_one() -> None:
    assert found(ammg.StatisticChange(of="y"), BEFORE, {**BEFORE, "y": [None] * 4}).value == 1


def test_what_has_no_such_statistic_says_so() -> None:
    assert found(ammg.StatisticChange(of="town"), BEFORE, AFTER).reason == "'town' is no number"
