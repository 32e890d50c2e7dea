import numpy as np
import pytest
from columns_beside import loss_by

import ammg


def test_scipy_finds_the_same() -> None:
    from scipy.stats import energy_distance

    rng = np.random.default_rng(2)
    before, after = rng.normal(size=80), rng.gamma(2, size=60)
    expected = energy_distance(before, after) / np.sqrt(before.std(ddof=1))
    assert loss_by(ammg.EnergyDistance(), [before], [after]).value == pytest.approx(expected)


def test_two_points_by_hand() -> None:
    # F and G differ by 1/2 between 1 and 2: √(2 · 1/4) in roots of the standard deviation 1/√2.
    assert loss_by(ammg.EnergyDistance(), [[1, 2]], [[2, 2]]).value == pytest.approx(np.sqrt(0.5) / 0.5**0.25)
