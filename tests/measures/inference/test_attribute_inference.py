from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

ANYBODY = Scenario()


def simulated(n=1000, seed=0, link=0.9):
    """Illness follows the place for nine in ten; pay follows nothing."""
    rng = np.random.default_rng(seed)
    place = rng.integers(0, 4, n)
    ill = np.where(rng.random(n) < link, place, rng.integers(0, 4, n))
    table = pl.DataFrame(
        {"id": np.arange(n), "place": place.astype(str), "ill": ill.astype(str), "pay": rng.exponential(size=n)}
    )
    return ammg.Microdata(table).with_roles(identifier="id", key="place", confidential=["ill", "pay"])


def test_an_unmasked_file_gives_confidential_values_away():
    data = ammg.Microdata(pl.DataFrame({"a": np.arange(50.0), "b": [f"v{k % 5}" for k in range(50)]})).with_roles(
        key="a", confidential="b"
    )
    measured = ammg.AttributeInference().measure(Pair.identity(data), ANYBODY)
    assert measured.value == 1
    assert measured.tables["attributes"].lookup("attribute", "right") == {"b": 1.0}
    assert measured.tables["attributes"].lookup("attribute", "baseline")["b"] == pytest.approx(0.2)


def test_another_sample_of_the_population_teaches_what_is_known_anyway():
    """Released people are not those sought: what is learned is the dependence, and nothing about pay."""
    pair = Pair(simulated(seed=1), simulated(seed=2), np.full(1000, -1))
    measured = ammg.AttributeInference().measure(pair, ANYBODY)
    assert measured.tables["attributes"].lookup("attribute", "baseline")["ill"] == pytest.approx(0.25, abs=0.04)
    assert 0.5 < measured.tables["attributes"].lookup("attribute", "right")["ill"] < 0.95
    assert measured.by_column["pay"] < 0.05


def test_independent_attributes_are_not_inferred():
    pair = Pair(simulated(seed=1, link=0.0), simulated(seed=2, link=0.0), np.full(1000, -1))
    assert ammg.AttributeInference().measure(pair, ANYBODY).value < 0.06


def test_without_confidential_attributes_it_is_not_defined(census_data):
    with pytest.raises(NotDefined, match="no confidential attribute"):
        ammg.AttributeInference().measure(Pair.identity(census_data), ANYBODY)
