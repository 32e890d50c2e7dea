from __future__ import annotations

import numpy as np
import pytest

from ammg.kernels.noise.romm import rotate_records


@pytest.mark.parametrize("strength", [0.1, 1.0, 1e6])
@pytest.mark.parametrize("weighted", [False, True])
def test_mean_covariance_and_identities_are_kept_to_rounding(census, strength, weighted):
    rng = np.random.default_rng(0)
    weights = rng.uniform(0.5, 3, len(census)) if weighted else None
    masked = rotate_records(census, strength, rng, weights)
    before, after = (np.cov(file, rowvar=False, aweights=weights) for file in (census, masked))
    scale = np.sqrt(np.diag(before))
    assert np.abs((after - before) / np.outer(scale, scale)).max() < 1e-9
    shift = np.average(masked, axis=0, weights=weights) - np.average(census, axis=0, weights=weights)
    assert np.abs(shift / scale).max() < 1e-9
    gap = masked[:, 4] - masked[:, 7] - masked[:, 9]
    assert np.abs(gap).max() < 1e-9 * np.abs(masked[:, 4]).max()


def test_masked_scores_correlate_with_the_original_as_the_strength_says():
    rng = np.random.default_rng(1)
    records = rng.normal(size=(20_000, 3)) @ np.array([[1.0, 0.5, 0], [0, 1, 0.3], [0, 0, 2]])
    for strength in (0.2, 1.0, 3.0):
        masked = rotate_records(records, strength, rng)
        kept = [np.corrcoef(records[:, j], masked[:, j])[0, 1] for j in range(3)]
        np.testing.assert_allclose(kept, 1 / np.sqrt(1 + strength**2), atol=0.03)


def test_the_signs_that_linear_algebra_leaves_open_do_not_matter(census, monkeypatch):
    expected = rotate_records(census, 1.0, np.random.default_rng(0))
    svd = np.linalg.svd

    def otherwise(matrix):
        left, values, right = svd(matrix)
        signs = np.where(np.arange(len(values)) % 2, 1.0, -1.0)
        return left * signs, values, right * signs[:, None]

    monkeypatch.setattr(np.linalg, "svd", otherwise)
    found = rotate_records(census, 1.0, np.random.default_rng(0))
    assert np.abs((found - expected) / census.std(axis=0)).max() < 1e-9


def test_no_strength_gives_the_file_back_and_a_file_too_short_is_refused():
    records = np.random.default_rng(2).normal(size=(5, 3))
    assert (rotate_records(records, 0.0, np.random.default_rng(0)) == records).all()
    with pytest.raises(ValueError, match="more than 4 records"):
        rotate_records(records[:4], 1.0, np.random.default_rng(0))
    with pytest.raises(ValueError, match="at least 0"):
        rotate_records(records, -1.0, np.random.default_rng(0))


def test_a_strong_rotation_forgets_which_record_was_which():
    # The limit of the paper: T is uniform over the orthogonal matrices that fix 1, so scores are uniform on a sphere.
    records = np.arange(6.0)[:, None]
    rng = np.random.default_rng(4)
    masked = np.array([rotate_records(records, 1e9, rng)[:, 0] for _ in range(4000)])
    np.testing.assert_allclose(masked.mean(axis=0), 2.5, atol=4 * 1.71 / np.sqrt(4000))
    np.testing.assert_allclose(masked.var(axis=0), records.var(), rtol=0.1)
