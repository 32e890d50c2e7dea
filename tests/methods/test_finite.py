"""Numbers that have no mean are refused by every method that works with moments or multiples."""

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError

METHODS = [
    ammg.AdditiveNoise,
    ammg.CorrelatedNoise,
    ammg.MixtureNoise,
    ammg.JointMixtureNoise,
    ammg.LogNoise,
    ammg.MultiplicativeNoise,
    ammg.OutlierNoise,
    ammg.PercentileNoise,
    ammg.MultivariatePercentileNoise,
    ammg.RandomOrthogonalMasking,
    ammg.Jpeg,
    ammg.Rounding,
    ammg.RandomRounding,
    ammg.SemiControlledRounding,
]


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("method", METHODS)
def test_an_infinite_value_is_refused_instead_of_masking_nothing(method, value) -> None:
    data = pl.DataFrame({"a": np.arange(1.0, 41.0), "b": [*np.arange(1.0, 40.0), value]})
    with pytest.raises(InputError, match=r"'b' has (an infinite value: set it to missing|the value -inf)"):
        ammg.Pipeline([method()]).run(data, secret=1)
