from __future__ import annotations

import numpy as np

from ammg.kernels.inference.nearest_guess import right_guesses


def one_by_one(people, records, shown, truth, reach):
    """Ask the nearest records of each person in turn."""
    right = np.zeros(truth.shape)
    for i, j in np.ndindex(truth.shape):
        seen = np.flatnonzero(~np.isnan(shown[:, j]))
        distance = ((records[seen] - people[i]) ** 2).sum(axis=1)
        asked = shown[seen[distance == distance.min()], j]
        support = np.array([(np.abs(asked - value) <= reach[j]).sum() for value in asked])
        likely = asked[support == support.max()]
        right[i, j] = np.mean(np.abs(likely - truth[i, j]) <= reach[j])
    return right


def test_guesses_are_those_of_asking_the_nearest_records_one_by_one():
    rng = np.random.default_rng(5)
    people, records = (rng.integers(0, 3, (60, 2)).astype(float) for _ in range(2))
    shown, truth = (np.column_stack([rng.integers(0, 4, 60), rng.normal(size=60), rng.normal(size=60)]) for _ in "ab")
    shown[rng.random(60) < 0.3, 1] = np.nan
    truth[0] = np.nan
    reaches = [np.array([0.0, 0.1, 0.5]), np.array([0.0, 0.3, 0.2])]
    found = right_guesses(people, records, None, shown, truth, reaches)
    for right, chance, reach in zip(*found, reaches, strict=True):
        assert np.allclose(right, one_by_one(people, records, shown, truth, reach))
        assert np.allclose(chance, one_by_one(0 * people, 0 * records, shown, truth, reach))


def test_an_attribute_that_no_record_shows_is_not_guessed():
    here = np.zeros((3, 1))
    found = right_guesses(here, here, None, np.full((3, 1), np.nan), np.ones((3, 1)), [np.zeros(1)])
    assert not found.nearest[0].any()
    assert not found.margins[0].any()


def test_people_of_whom_nothing_is_known_are_guessed_by_chance():
    people, records = np.array([[np.nan], [0.0]]), np.array([[0.0], [1.0], [1.0]])
    shown, truth = np.array([[1.0], [2.0], [2.0]]), np.array([[2.0], [1.0]])
    found = right_guesses(people, records, None, shown, truth, [np.zeros(1)])
    assert found.nearest[0].tolist() == [[1.0], [1.0]]
    assert found.margins[0].tolist() == [[1.0], [0.0]]
