from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario

ANYBODY = Scenario()


def test_original_rows_disclose_everybody_whatever_their_link(census_data):
    shuffled = np.random.default_rng(0).permutation(1080)
    measured = ammg.IntactRecords().measure(Pair(census_data, census_data, shuffled), ANYBODY)
    assert measured.value == 1
    assert measured.details["records"] == 1080


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


def test_people_alike_share_the_risk_and_those_who_are_gone_have_none():
    original = ammg.Microdata(pl.DataFrame({"a": ["x", "x", "y", "z"]}))
    released = ammg.Microdata(pl.DataFrame({"a": ["x", "y"]}))
    measured = ammg.IntactRecords().measure(Pair(original, released, np.array([0, 2])), ANYBODY)
    assert measured.value == pytest.approx((0.5 + 0.5 + 1 + 0) / 4)
    assert measured.by_record.tolist() == [0.5, 1]
    assert measured.details["intact"] == 3


def test_suppression_protects(patients):
    table = patients.table.with_columns(Age=pl.lit(None, dtype=pl.Int64))
    released = ammg.Microdata(table).with_roles(identifier=["Name", "SSN"])
    assert ammg.IntactRecords().measure(Pair(patients, released, np.arange(10)), ANYBODY).value == 0
