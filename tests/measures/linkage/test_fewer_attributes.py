"""What the mask made useless is left out of an attack."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.measures.linkage.fewer_attributes import clearly_better, fewer_attributes
from ammg.measures.linkage.intruder import searches

RNG = np.random.default_rng(5)
N = 300
TABLE = pl.DataFrame({"town": RNG.integers(0, 20, N), "age": RNG.integers(18, 90, N), "pay": RNG.normal(size=N)})
DATA = ammg.Microdata(TABLE).with_kinds(nominal="town").with_roles(key=["town", "age", "pay"])


def beside(**columns: np.ndarray) -> Pair:
    return Pair(DATA, ammg.Microdata(TABLE.with_columns(**columns), DATA.schema), np.arange(N))


@pytest.mark.parametrize("measure", [ammg.DistanceLinkage(), ammg.ProbabilisticLinkage(), ammg.ResidualLinkage()])
def test_a_scrambled_attribute_does_not_protect_the_others(measure: ammg.DistanceLinkage) -> None:
    scrambled = beside(pay=RNG.permutation(TABLE["pay"].to_numpy()) * 5)
    without = measure.measure(scrambled, Scenario(known=("town", "age"))).value
    assert measure.measure(scrambled, Scenario()).value >= without - 0.02
    assert without > 0.5


def test_attributes_that_fared_alike_are_all_used() -> None:
    (search,) = searches(Pair.identity(DATA), Scenario())
    assert fewer_attributes(search) == []
    (search,) = searches(beside(age=RNG.permutation(TABLE["age"].to_numpy())), Scenario())
    assert fewer_attributes(search) == [("pay", "town")]


def test_chance_is_not_called_better() -> None:
    assert not clearly_better(np.array([1.0, 1, 0, 0]), than=np.array([0.0, 0, 1, 0]))
    assert clearly_better(np.ones(10), than=np.zeros(10))
