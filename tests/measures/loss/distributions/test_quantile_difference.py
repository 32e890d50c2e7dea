import numpy as np
import pytest
from columns_beside import loss_by

import ammg
from ammg.errors import InputError


def test_quantiles_are_those_of_numpy() -> None:
    rng = np.random.default_rng(1)
    before, after, shares = rng.lognormal(size=50), rng.lognormal(size=50), (0.25, 0.5, 0.95)
    first, second = np.quantile(before, shares), np.quantile(after, shares)
    found = loss_by(ammg.QuantileDifference(shares=shares), [before], [after]).value
    assert found == pytest.approx((np.abs(first - second) / first).mean())


def test_the_deciles_are_compared_unless_others_are_named() -> None:
    assert loss_by(ammg.QuantileDifference(), [range(1, 12)], [range(2, 24, 2)]).value == pytest.approx(1)


@pytest.mark.parametrize("shares", [(), (1.5,)])
def test_shares_lie_between_zero_and_one(shares: tuple[float, ...]) -> None:
    with pytest.raises(InputError, match="at least one share, each between 0 and 1"):
        ammg.QuantileDifference(shares=shares)
