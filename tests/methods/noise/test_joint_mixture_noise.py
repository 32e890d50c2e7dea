import numpy as np
import polars as pl
import pytest

import ammg
from ammg.errors import InputError


def test_each_record_moves_by_one_of_k_vectors() -> None:
    rng = np.random.default_rng(0)
    records = rng.normal(size=(6000, 2)) @ np.array([[1.0, 0.5], [0.0, 1.0]])
    method = ammg.JointMixtureNoise(components=4, variance=1e-6, d=1.0)
    masked = ammg.Pipeline([method]).run(pl.DataFrame(records, schema=["a", "b"]), secret=3).table.to_numpy()
    steps = np.unique((masked - records).round(1), axis=0)
    assert 4 <= len(steps) <= 12  # four vectors, some on the edge of rounding
    np.testing.assert_allclose(np.cov((masked - records).T), np.cov(records.T), atol=0.06)


def test_another_secret_takes_other_vectors() -> None:
    data = pl.DataFrame({"a": np.arange(50.0), "b": np.arange(50.0) ** 2})
    method = ammg.JointMixtureNoise(variance=1e-6)
    first, second = (ammg.Pipeline([method]).run(data, secret).table.to_numpy() for secret in (1, 2))
    assert not np.isclose(np.sort(first - second, axis=0), 0).all()


def test_it_needs_more_components_than_columns(census_data) -> None:
    with pytest.raises(InputError, match="13 columns need at least 14 components, not 13"):
        ammg.Pipeline([ammg.JointMixtureNoise(components=13)]).run(census_data)
