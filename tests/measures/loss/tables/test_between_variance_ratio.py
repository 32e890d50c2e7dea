import numpy as np
import pytest
from beside import found

import ammg

BEFORE = {"town": list("aabbcc"), "y": [1.0, 3, 4, 6, 8, 12]}


def between(values: list[float], overall: float) -> float:
    return float(np.square(np.array(values) - overall).sum() / (len(values) - 1))


def test_means_between_groups_by_hand() -> None:
    after = {**BEFORE, "y": [1.0, 3, 4, 6, 8, 6]}
    before, masked = between([2, 5, 10], 34 / 6), between([2, 5, 7], 28 / 6)
    result = found(ammg.BVR(), BEFORE, after)
    assert result.value == pytest.approx((before - masked) / before)
    assert result.tables["targets"]["percent"] == (pytest.approx(100 * (masked - before) / before),)


def test_a_number_shuffled_over_groups_loses_the_variance_between_them() -> None:
    after = {**BEFORE, "y": [4.0, 6, 4, 6, 4, 6]}
    assert found(ammg.BVR(), BEFORE, after).value == pytest.approx(1)


def test_proportions_within_groups_and_the_literal_formula_differ() -> None:
    before = {"town": list("aabbbb"), "job": list("xyxxxy")}
    after = {"town": list("aabbbb"), "job": list("xxxxyy")}
    # Shares of x in towns a and b: 1/2 and 3/4, overall 4/6; after masking 1 and 1/2, overall 4/6.
    first, second = between([1 / 2, 3 / 4], 4 / 6), between([1, 1 / 2], 4 / 6)
    options = {"columns": ("job",), "groups": ("town",)}
    assert found(ammg.BVR(reading="proportion", **options), before, after).value == pytest.approx(
        (second - first) / first
    )
    # Literally: the share of the town among the x's, 1/4 and 3/4, less the share of x in the file, and so for y.
    pairs = [
        (between([1 / 4, 3 / 4], 4 / 6), between([2 / 4, 2 / 4], 4 / 6)),
        (between([1 / 2, 1 / 2], 2 / 6), between([0, 1], 2 / 6)),
    ]
    expected = np.mean([abs(b - a) / a for a, b in pairs])
    assert found(ammg.BVR(reading="literal", **options), before, after).value == pytest.approx(expected)


def test_groups_may_count_by_their_size() -> None:
    after = {**BEFORE, "y": [1.0, 3, 4, 6, 8, 6]}
    plain, sized = (found(ammg.BVR(sized=sized), BEFORE, after).value for sized in (False, True))
    assert plain == pytest.approx(sized)  # the groups are equally large
    three = {"town": list("aabbbb"), "y": BEFORE["y"]}
    assert found(ammg.BVR(sized=True), three, {**three, "y": after["y"]}).value > 0


def test_equal_means_have_no_such_loss() -> None:
    columns = {"town": list("ab"), "y": [1.0, 1.0]}
    assert found(ammg.BVR(), columns, columns).reason == "no target varies between groups in the original"
