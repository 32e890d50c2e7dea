from __future__ import annotations

import numpy as np

from ammg.kernels.linkage.value_signs import Sign, classes, last_digits, learn_sign


def test_the_value_of_most_pairs_is_the_one_to_expect():
    own, seen = np.repeat([0, 1, 2], 10), np.repeat([5, 3, 4], 10)
    told = learn_sign(Sign(own, seen), np.arange(30))
    assert told.shown.tolist() == own.tolist()
    assert told.cost > 0


def test_a_sign_is_not_judged_by_the_pairs_that_taught_it():
    rng = np.random.default_rng(0)
    assert learn_sign(Sign(rng.integers(0, 3, 200), np.arange(200)), np.arange(200)) is None
    assert learn_sign(Sign(rng.integers(0, 3, 200), rng.integers(0, 60, 200)), np.arange(200)) is None


def test_missing_values_and_unknown_origins_teach_nothing():
    own, seen = np.repeat([0, 1, 2], 40), np.repeat([1, 2, 0], 40)
    own[0] = seen[1] = -1
    told = learn_sign(Sign(own, seen), np.where(np.arange(120) % 2, np.arange(120), -1))
    assert np.isnan(told.own[0])
    assert told.shown[1] == -1
    assert (told.shown[2:] == own[2:]).all()
    assert learn_sign(Sign(own, seen), np.full(120, -1)) is None


def test_numbers_that_hardly_repeat_fall_into_classes():
    values = np.append(np.arange(100.0), np.nan)
    codes = classes(values)
    assert codes[-1] == -1
    assert np.bincount(codes[:-1]).tolist() == [5] * 20
    assert classes(np.array([3.0, 1, 3, 1, 1, np.nan])).tolist() == [1, 0, 1, 0, 0, -1]


def test_last_digits_are_those_of_the_smallest_step():
    original = np.round(np.random.default_rng(1).uniform(0, 50, 400), 1)
    one, two = last_digits(original, original + 1)
    assert (one.own == one.seen).all()
    assert (two.own != two.seen).all()
    assert last_digits(np.random.default_rng(2).normal(size=400), original) == []
    assert last_digits(np.array([1.0, 1, 1]), np.array([1.0, 1, 1])) == []
