import numpy as np
import pytest
from beside import found

import ammg

RNG = np.random.default_rng(8)


def test_a_file_drawn_from_the_original_has_the_expected_value() -> None:
    ratios = []
    for _ in range(40):
        before = RNG.uniform(size=(3, 1000))
        after = before[:, RNG.integers(0, 1000, 1000)]
        columns = [{f"x{j}": values for j, values in enumerate(side)} for side in (before, after)]
        facts = found(ammg.PMSE(), *columns).facts
        ratios.append(facts["ratio"])
        assert facts["parameters"] == 1 + 3 + 6
    assert np.mean(ratios) == pytest.approx(1, abs=0.25)


def test_the_file_itself_cannot_be_told_apart() -> None:
    columns = {"x": RNG.normal(size=100), "c": RNG.choice(["a", "b"], 100).tolist()}
    assert found(ammg.PMSE(), columns, columns).value == 0


def test_noise_is_seen_by_its_variance_and_only_with_products() -> None:
    x = RNG.normal(size=5000)
    masked = x + RNG.normal(size=5000)
    with_products, without = (
        found(ammg.PMSE(products=products), {"x": x}, {"x": masked}).facts["ratio"] for products in (True, False)
    )
    assert with_products > 50
    assert without < 15


def test_files_without_overlap_have_the_greatest_value() -> None:
    x = RNG.normal(size=500)
    assert found(ammg.PMSE(), {"x": x}, {"x": x + 100}).value == pytest.approx(0.25, abs=0.001)
