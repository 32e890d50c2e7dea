import numpy as np
import pytest
from columns_beside import loss_by

import ammg


def test_the_greatest_gap_of_the_distribution_functions_by_hand() -> None:
    found = loss_by(ammg.KolmogorovSmirnov(), [[1, 2, 3, 4]], [[3, 4, 5, 6]])
    assert found.value == 0.5
    assert found.facts["percent"] == 50
    assert found.facts["scaled"] == pytest.approx(np.sqrt(16 / 8) * 0.5)


def test_scipy_finds_the_same() -> None:
    from scipy.stats import ks_2samp

    rng = np.random.default_rng(2)
    before, after = rng.normal(size=80).round(1), rng.normal(0.3, size=60).round(1)
    assert loss_by(ammg.KS(), [before], [after]).value == pytest.approx(ks_2samp(before, after).statistic)


def test_a_withheld_value_is_charged_whole_for_its_share() -> None:
    assert loss_by(ammg.KS(), [[1, 2, 3, 4]], [[1, 2, 3, None]]).value == pytest.approx(1 / 4 + 3 / 4 * 1 / 4)
    assert loss_by(ammg.KS(), [[1, 2]], [[None, None]]).value == 1
