from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.pram.transition_attack import transition_posterior

MATRICES = [
    np.array([[0.8, 0.2], [0.1, 0.9]]),
    np.array([[0.7, 0.3, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, 0.6]]),
]


def simulated(n, seed=0):
    rng = np.random.default_rng(seed)
    original = np.column_stack([rng.integers(0, 2, n), rng.integers(0, 3, n)]).astype(np.int32)
    masked = np.column_stack(
        [
            (rng.random(n)[:, None] > np.cumsum(matrix[codes], axis=1)).sum(axis=1)
            for matrix, codes in zip(MATRICES, original.T, strict=True)
        ]
    ).astype(np.int32)
    return original, masked


@pytest.mark.parametrize("groups", [1, 4])
def test_posterior_is_bayes_rule_over_all_originals(groups):
    original, masked = simulated(50)
    unchanged = np.arange(50) % groups
    likelihood = (unchanged[None] == unchanged[:, None]).astype(float)
    for matrix, before, after in zip(MATRICES, original.T, masked.T, strict=True):
        likelihood *= matrix[before[None], after[:, None]]
    posterior = likelihood / likelihood.sum(axis=1, keepdims=True)
    found = transition_posterior(original, masked, np.arange(50), MATRICES, (unchanged, unchanged))
    assert np.allclose(found.truth, np.diag(posterior))
    assert np.allclose(found.largest, posterior.max(axis=1))
    tied = np.isclose(posterior, posterior.max(axis=1, keepdims=True))
    assert np.allclose(found.hit, np.diag(tied) / tied.sum(axis=1))


def test_an_unchanged_file_is_linked_up_to_its_duplicates():
    original = np.array([[0, 0], [0, 0], [1, 2]], dtype=np.int32)
    found = transition_posterior(original, original, np.arange(3), [np.eye(2), np.eye(3)])
    assert found.truth.tolist() == found.hit.tolist() == [0.5, 0.5, 1.0]


def test_missing_codes_say_nothing_and_records_of_nobody_have_no_truth():
    original, masked = np.array([[0], [1]], dtype=np.int32), np.array([[-1], [0]], dtype=np.int32)
    found = transition_posterior(original, masked, np.array([0, -1]), MATRICES[:1])
    assert found.truth.tolist() == [0.5, 0]
    assert found.largest[1] == pytest.approx(0.8 / 0.9)
