"""Scans by two threads find what one finds, whether the second is quick, late or never there."""

import numpy as np
import pytest
from late_helpers import HELPERS

from ammg.kernels.grouping import shared_scans
from ammg.kernels.grouping.mdav_generic import mdav_generic_groups
from ammg.kernels.grouping.mixed_records import dissimilarity, mixed_records
from ammg.kernels.grouping.shared_scans import measure_from
from ammg.kernels.jit import jit


def mixed(n, seed=0):
    rng = np.random.default_rng(seed)
    values = np.column_stack([rng.normal(size=n), rng.integers(0, 4, n), rng.integers(0, 9, n)])
    values[rng.random(n) < 0.1, 0] = np.nan
    return mixed_records(values, np.array([False, True, False]))


@pytest.mark.parametrize("helper", HELPERS)
def test_groups_of_mixed_records_do_not_depend_on_the_helper(helper, monkeypatch):
    records = mixed(5_000)
    ordinal = np.array([False, False, True])
    monkeypatch.setattr(shared_scans, "has_spare_processor", lambda: False)
    alone = mdav_generic_groups(records, 40, ordinal)
    monkeypatch.setattr(shared_scans, "has_spare_processor", lambda: True)
    monkeypatch.setattr(shared_scans, "helped_by", HELPERS[helper])
    np.testing.assert_array_equal(mdav_generic_groups(records, 40, ordinal), alone)


@jit
def _measure(records, scans, size, origin):
    measure_from(records, scans, size, origin)


@jit
def _one_by_one(records, left, origin, distances):
    for place in range(len(left)):
        distances[place] = dissimilarity(records, left[place], origin)


def test_every_distance_is_measured_in_every_scan(monkeypatch):
    records = mixed(4_321)
    monkeypatch.setattr(shared_scans, "has_spare_processor", lambda: True)
    with shared_scans.shared_scans(records, 4_321) as scans:
        for origin, size in [(0, 4_321), (17, 4_097), (3, 2_048), (5, 100), (4_000, 4_321)]:
            scans.distances[:] = -1.0
            _measure(records, scans, size, origin)
            expected = np.full(4_321, -1.0)
            _one_by_one(records, scans.left[:size], origin, expected)
            np.testing.assert_array_equal(scans.distances, expected)
