"""Noise that zero bounds."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.published import NoiseLaw
from ammg.measures.linkage.intruder import Knowledge
from ammg.measures.noise.mirrored import mirrored

NAMES = ("far", "near", "free")
MASKED = np.array([[90.0, 1.0, 5.0], [80.0, 50.0, 0.1]])


def known() -> Knowledge:
    return Knowledge(NAMES, MASKED.copy(), MASKED.copy(), np.zeros(3, dtype=bool), np.zeros(3))


def test_only_small_values_of_bounded_columns_may_have_been_below_zero() -> None:
    law = NoiseLaw(NAMES, np.eye(3), 1.0, floors=("far", "near"))
    found = mirrored(law, known(), np.arange(2))
    assert found.record.tolist() == [0, 0, 1]
    assert found.known.masked.tolist() == [[90.0, 1.0, 5.0], [90.0, -1.0, 5.0], [80.0, 50.0, 0.1]]


def test_likelihoods_add_up_over_what_a_record_may_have_been() -> None:
    law = NoiseLaw(NAMES, np.eye(3), 1.0, floors=("near",))
    summed = mirrored(law, known(), np.arange(2)).summed(np.log([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]))
    assert np.exp(summed) == pytest.approx(np.array([[0.4, 0.6], [0.5, 0.6]]))


def test_nothing_is_mirrored_where_nothing_is_bounded() -> None:
    found = mirrored(NoiseLaw(NAMES, np.eye(3), 1.0), known(), np.arange(2))
    assert found.record.tolist() == [0, 1]


def test_a_bound_hides_hardly_anybody_from_who_knows_of_it() -> None:
    rng = np.random.default_rng(1)
    table = pl.DataFrame({name: rng.lognormal(3, 1, 150) for name in "abcdef"})
    data = ammg.Microdata(table).with_roles(key=table.columns)
    masked = ammg.Pipeline([ammg.MixtureNoise(d=0.2)]).run(data, 1)
    aware = ammg.evaluate(masked, "noise_law_linkage", before=False).value("noise_law_linkage")
    free = ammg.Pipeline([ammg.MixtureNoise(d=0.2, below_zero="allow")]).run(data, 1)
    unbounded = ammg.evaluate(free, "noise_law_linkage", before=False).value("noise_law_linkage")
    assert aware > unbounded - 0.05
