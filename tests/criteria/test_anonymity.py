from __future__ import annotations

import numpy as np
import pytest

from ammg.criteria.anonymity import population_frequencies, presence, safe_class_size, violates_anonymity

POPULATION = [np.array([0, 0, 0, 1, 1, 2], np.int32)]
FILE = [np.array([0, 0, 1], np.int32)]


def test_fewer_than_k_records_violate():
    assert violates_anonymity(np.array([1, 2, 3]), 3).tolist() == [True, True, False]


def test_each_record_finds_its_class_in_the_population():
    assert population_frequencies(FILE, POPULATION, [3]).tolist() == [3, 3, 2]
    assert population_frequencies([np.array([3], np.int32)], POPULATION, [4]).tolist() == [0]


def test_presence_looks_at_every_class_of_the_population():
    found = presence(FILE, POPULATION, [3])
    assert found.by_record.tolist() == pytest.approx([2 / 3, 2 / 3, 1 / 2])
    assert (found.lowest, found.highest) == pytest.approx((0, 2 / 3))


def test_a_population_that_lacks_the_file_is_refused():
    with pytest.raises(ValueError, match="must contain the file"):
        presence(POPULATION, FILE, [3])


def test_a_census_needs_classes_of_k():
    assert safe_class_size(5, fraction=1.0) == 5


def test_a_safe_class_rarely_has_a_small_population():
    rng = np.random.default_rng(3)
    size = safe_class_size(20, fraction=0.2, significance=0.05)
    population = size + rng.poisson(size * 4, 200_000)
    smaller = size - 1 + rng.poisson((size - 1) * 4, 200_000)
    assert np.mean(population < 20) <= 0.052
    assert np.mean(smaller < 20) > 0.05
