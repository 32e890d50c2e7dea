import numpy as np
import pytest
from columns_beside import loss_by

import ammg


def test_a_shift_costs_its_size_in_standard_deviations() -> None:
    x = np.array([1.0, 4, 6, 9])
    assert loss_by(ammg.WassersteinDistance(), [x], [x + 3]).value == pytest.approx(3 / x.std(ddof=1))


def test_scipy_finds_the_same() -> None:
    from scipy.stats import wasserstein_distance

    rng = np.random.default_rng(2)
    before, after = rng.normal(size=80), rng.gamma(2, size=60)
    expected = wasserstein_distance(before, after) / before.std(ddof=1)
    assert loss_by(ammg.WassersteinDistance(), [before], [after]).value == pytest.approx(expected)


def test_a_column_that_is_gone_is_as_far_away_as_its_mean() -> None:
    x = np.array([1.0, 4, 6, 9])
    expected = np.abs(x - 5).mean() / x.std(ddof=1)
    assert loss_by(ammg.WassersteinDistance(), [x], [[None] * 4]).value == pytest.approx(expected)


def test_any_change_of_a_constant_counts_one() -> None:
    assert loss_by(ammg.WassersteinDistance(), [[4, 4]], [[4, 5]]).value == 1
