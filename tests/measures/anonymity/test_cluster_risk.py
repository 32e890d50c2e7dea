from __future__ import annotations

import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import InputError

ANYBODY = Scenario()


def test_the_patients_of_the_ammg_paper(patients):
    """Clusters of 3, 3, 2, 1 and 1 records on Age and State."""
    measured = ammg.ClusterRisk(weights=(4.0, 2.0, 1.0)).measure(Pair.identity(patients), ANYBODY)
    assert measured.facts["DRmin"] == pytest.approx(0.2)
    assert measured.facts["DRmax"] == measured.value == pytest.approx(0.5)
    assert measured.facts["DRW"] == pytest.approx((4 * 2 / 1 + 2 * 2 / 2 + 1 * 6 / 3) / (4 * 10))


def test_the_clusters_of_a_sample_are_those_of_the_initial_file(sample_of):
    pair = sample_of({"a": ["x", "x", "y", "y"]}, [0, 2, 3], key=["a"])
    assert ammg.ClusterRisk().measure(pair, ANYBODY).people.by_record.tolist() == [0.5, 0.5, 0.5]


def test_weights_that_increase_are_refused(identity):
    with pytest.raises(InputError, match="not increase"):
        ammg.ClusterRisk(weights=(1.0, 2.0)).measure(identity({"a": [1]}, key=["a"]), ANYBODY)
