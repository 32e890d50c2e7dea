import numpy as np
import pytest

from ammg.kernels.noise.near_images import distance_to_others


@pytest.mark.parametrize("dimensions", [3, 11])
def test_the_distance_is_that_of_all_pairs_where_the_own_image_is_not_farther(dimensions: int) -> None:
    rng = np.random.default_rng(1)
    places = rng.normal(size=(700, dimensions))
    images = places + 0.6 * rng.normal(size=places.shape)
    distances = np.square(places[:, None] - images[None]).sum(axis=2)
    own = np.diag(distances).copy()
    np.fill_diagonal(distances, np.inf)
    for nearest in (1, 2):
        truth = np.sort(distances, axis=1)[:, nearest - 1]
        found = distance_to_others(images, places, own, nearest)
        exact = own <= truth
        assert 0 < exact.sum() < len(own)
        np.testing.assert_allclose(found[exact], truth[exact])
        assert (found[~exact] < own[~exact]).all()
        assert (found >= truth - 1e-9).all()


def test_one_record_has_no_other_image() -> None:
    assert distance_to_others(np.ones((1, 9)), np.ones((1, 9)), np.zeros(1), 2)[0] == np.inf
