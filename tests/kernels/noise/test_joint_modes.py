from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.noise.joint_modes import joint_likelihood, joint_modes, refined


@pytest.fixture(scope="module")
def moved():
    rng = np.random.default_rng(0)
    original = 2.5 * rng.normal(size=(400, 6))
    modes = rng.normal(size=(12, 6))
    modes -= modes.mean(axis=0)
    component = rng.integers(0, 12, 400)
    return original, original + modes[component] + np.sqrt(0.025) * rng.normal(size=(400, 6)), modes


def test_secret_directions_show_as_modes_of_all_differences(moved):
    original, masked, modes = moved
    found = joint_modes(original, masked, 12, 0.025)
    nearest = np.sqrt(((found[:, None] - modes[None]) ** 2).sum(axis=2))
    assert len(found) >= 11
    assert (nearest.min(axis=1) < 0.3).sum() >= 10


def test_with_the_modes_the_law_is_known(moved):
    original, masked, modes = moved
    likelihood = joint_likelihood(original, masked, modes, 12, 0.025)
    assert (likelihood.argmax(axis=1) == np.arange(400)).mean() > 0.95


def test_modes_move_to_the_mean_of_linked_pairs(moved):
    original, masked, modes = moved
    better = refined(original, masked, np.arange(400), modes + 0.1, 0.025)
    assert np.abs(better - modes).max() < 0.15
    assert np.abs(better - modes).mean() < 0.04


def test_files_too_far_apart_have_no_modes():
    assert joint_modes(np.zeros((5, 2)), np.full((5, 2), 1e6), 4, 0.1).shape == (0, 2)
