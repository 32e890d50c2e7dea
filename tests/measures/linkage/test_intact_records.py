from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario

ANYBODY = Scenario()


def test_original_rows_disclose_everybody_whatever_their_link(census_data):
    shuffled = np.random.default_rng(0).permutation(1080)
    measured = ammg.IntactRecords().measure(Pair(census_data, census_data, shuffled), ANYBODY)
    assert measured.value == 1
    assert measured.facts["records"] == 1080


def test_rows_made_from_nobody_disclose_whom_they_describe(census_data):
    pair = Pair(census_data, census_data, np.full(1080, -1))
    assert ammg.IntactRecords().measure(pair, ANYBODY).value == 1


def test_noise_leaves_nobody_intact_and_a_trifle_does(census_data):
    noisy, barely = (
        ammg.Pipeline([ammg.AdditiveNoise(p=p)]).run(census_data, secret="0" * 32).pair for p in (0.1, 0.0005)
    )
    assert ammg.IntactRecords().measure(noisy, ANYBODY).value == 0
    assert ammg.IntactRecords().measure(barely, ANYBODY).value > 0.99
    assert ammg.IntactRecords(near=0.0).measure(barely, ANYBODY).value == 0


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 60),
    st.integers(1, 4),
    st.sampled_from(["normal", "heavy", "outlier", "zeros", "whole", "huge"]),
)
def test_distinct_rows_in_any_order_disclose_everybody_on_any_data(seed, n, m, law):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, m))
    values[0] *= 1e6 if law == "outlier" else 1
    values = np.exp(3 * values) if law == "heavy" else values
    values = np.where(rng.random((n, m)) < 0.8, 0, values) if law == "zeros" else values
    values = np.round(3 * values) if law == "whole" else values
    values = 1e9 + values if law == "huge" else values
    data = ammg.Microdata(pl.DataFrame(np.unique(values, axis=0), schema=[f"v{j}" for j in range(m)]))
    pair = Pair(data, data, rng.permutation(len(data)))
    assert ammg.IntactRecords().measure(pair, ANYBODY).value == 1
    assert ammg.IntactRecords().measure(pair, Scenario(known=tuple(data.columns))).value == 1


def test_who_is_nearly_intact_shares_the_risk_with_those_nearly_alike():
    values = np.array([0.0, 0.001, 1.0, 2.0, 3.0, 4.0, 1e9])
    original = ammg.Microdata(pl.DataFrame({"a": values}))
    released = ammg.Microdata(pl.DataFrame({"a": [0.0, 2.001]}))
    measured = ammg.IntactRecords().measure(Pair(original, released, np.array([0, 3])), ANYBODY)
    assert measured.value == pytest.approx((1 + 0.5 + 0 + 1 + 0 + 0 + 0) / 7)
    assert (measured.facts["intact"], measured.facts["exactly"]) == (3, 1)


def test_people_alike_share_the_risk_and_those_who_are_gone_have_none():
    original = ammg.Microdata(pl.DataFrame({"a": ["x", "x", "y", "z"]}))
    released = ammg.Microdata(pl.DataFrame({"a": ["x", "y"]}))
    measured = ammg.IntactRecords().measure(Pair(original, released, np.array([0, 2])), ANYBODY)
    assert measured.value == pytest.approx((0.5 + 0.5 + 1 + 0) / 4)
    assert measured.people.by_record.tolist() == [0.5, 1]
    assert measured.facts["intact"] == 3


def test_suppression_protects(patients):
    table = patients.table.with_columns(Age=pl.lit(None, dtype=pl.Int64))
    released = ammg.Microdata(table).with_roles(identifier=["Name", "SSN"])
    assert ammg.IntactRecords().measure(Pair(patients, released, np.arange(10)), ANYBODY).value == 0
