import numpy as np
import pytest
from columns_beside import loss_by

import ammg

RNG = np.random.default_rng(3)
COMMON = RNG.normal(size=500)
OTHER = RNG.normal(size=500)
FILE = [COMMON, COMMON + 0.1 * RNG.normal(size=500), OTHER, OTHER + 0.1 * RNG.normal(size=500), RNG.normal(size=500)]


def test_units_and_shifts_turn_nothing() -> None:
    assert loss_by(ammg.PrincipalComponentLoss(), FILE, [3 * column + 1 for column in FILE]).value == 0


def test_a_component_that_is_gone_turns_half_of_the_plane() -> None:
    masked = [FILE[0], FILE[1], RNG.permutation(OTHER), FILE[3], OTHER + FILE[4]]
    found = loss_by(ammg.PrincipalComponentLoss(components=1), FILE[:3], [FILE[2], FILE[1], FILE[0]])
    assert 0 < found.value <= 1
    assert 0.1 < loss_by(ammg.PrincipalComponentLoss(), FILE, masked).value < 0.6


def test_two_attributes_by_hand() -> None:
    # The first component of two attributes is their sum for a positive correlation, their difference for a negative.
    x, y = np.array([1.0, 2, 3, 5]), np.array([2.0, 1, 4, 4])
    assert loss_by(ammg.PrincipalComponentLoss(components=1), [x, y], [x, -y]).value == pytest.approx(1)


def test_components_need_attributes() -> None:
    reason = loss_by(ammg.PrincipalComponentLoss(), [[1, 2, 3]], [[1, 2, 3]]).reason
    assert reason == "2 components need more numeric attributes that vary than that"
