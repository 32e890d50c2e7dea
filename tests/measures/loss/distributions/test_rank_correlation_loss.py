import numpy as np
import pytest
from columns_beside import loss_by

import ammg


def test_a_reversed_attribute_changes_a_correlation_by_two() -> None:
    assert loss_by(ammg.RankCorrelationLoss(), [[1, 2, 9], [1, 4, 5]], [[9, 2, 1], [1, 4, 5]]).value == 2


def test_monotone_changes_cost_nothing() -> None:
    x, y = np.array([1.0, 5, 3, 2]), np.array([4.0, 4, 7, 1])
    assert loss_by(ammg.RankCorrelationLoss(), [x, y], [np.exp(x), y**3]).value == pytest.approx(0)


def test_scipy_finds_the_same_with_ties() -> None:
    from scipy.stats import spearmanr

    rng = np.random.default_rng(3)
    before, after = rng.integers(0, 9, (2, 50)).astype(float), rng.integers(0, 9, (2, 50)).astype(float)
    expected = abs(spearmanr(*before).statistic - spearmanr(*after).statistic)
    found = loss_by(ammg.RankCorrelationLoss(), list(before), list(after))
    assert found.value == pytest.approx(expected)
    own = [spearmanr(a, b).statistic for a, b in zip(before, after, strict=True)]
    assert found.facts["own"] == pytest.approx(np.mean(own))


def test_one_column_has_no_correlation() -> None:
    assert (
        loss_by(ammg.RankCorrelationLoss(), [[1, 2]], [[2, 1]]).reason == "a correlation needs two numeric attributes"
    )
