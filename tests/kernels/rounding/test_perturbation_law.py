import numpy as np
import pytest

from ammg.kernels.rounding.perturbation_law import perturb_counts, perturbation_law


@pytest.mark.parametrize(
    ("count", "variance", "most"), [(1, 2.0, 5), (2, 3.9, 4), (7, 2.0, 5), (3, 0.01, 3), (1, 4.9, 5)]
)
def test_the_law_has_no_bias_and_the_variance_asked_for(count: int, variance: float, most: int) -> None:
    changes, law = perturbation_law(count, variance, most)
    assert changes[0] == -min(count, most)
    assert (law >= 0).all()
    assert law.sum() == pytest.approx(1)
    assert law @ changes == pytest.approx(0, abs=1e-9)
    assert law @ changes**2 == pytest.approx(variance, abs=1e-9)


def test_the_law_of_greatest_entropy_is_a_discrete_normal_one_for_large_counts() -> None:
    changes, law = perturbation_law(100, 2.0, 20)
    assert np.allclose(law, law[::-1])
    curvature = np.diff(np.log(law[10:31]), 2)
    assert np.allclose(curvature, curvature[0])
    assert changes[np.argmax(law)] == 0


def test_a_variance_that_is_not_possible_is_refused() -> None:
    with pytest.raises(ValueError, match="a count of 1 cannot vary by 5 with changes from -1 to 5"):
        perturbation_law(1, 5.0, 5)


def test_equal_chances_give_equal_changes_and_zeros_stay() -> None:
    counts = np.array([0, 1, 5, 5, 900])
    change = perturb_counts(counts, np.array([0.99, 0.0, 0.3, 0.3, 0.3]), 2.0, 5)
    assert change[0] == 0
    assert change[1] == -1
    assert change[2] == change[3] == change[4]
