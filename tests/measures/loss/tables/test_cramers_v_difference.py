import numpy as np
import pytest
from beside import found
from scipy.stats.contingency import association

import ammg

RNG = np.random.default_rng(5)
A = RNG.integers(0, 3, 200)
B = np.where(RNG.random(200) < 0.6, A, RNG.integers(0, 4, 200))


def letters(codes: np.ndarray) -> list[str]:
    return [f"c{code}" for code in codes]


def test_scipy_finds_the_same_association() -> None:
    masked = np.where(RNG.random(200) < 0.3, RNG.integers(0, 4, 200), B)
    result = found(ammg.RCV(), {"a": letters(A), "b": letters(B)}, {"a": letters(A), "b": letters(masked)})
    before, after = (
        association(np.histogram2d(A, codes, bins=[range(4), range(5)])[0].astype(int)) for codes in (B, masked)
    )
    table = result.tables["pairs"]
    assert table["original"][0] == pytest.approx(before)
    assert table["percent"][0] == pytest.approx(100 * (after - before) / before)
    assert result.value == pytest.approx(abs(after - before) / before)


def test_independent_attributes_lose_their_association() -> None:
    before = {"a": list("xxyy"), "b": list("uuvv")}
    assert found(ammg.RCV(), before, {"a": list("xxyy"), "b": list("uvuv")}).value == pytest.approx(1)


def test_attributes_that_were_never_associated_have_no_such_loss() -> None:
    columns = {"a": list("xxyy"), "b": list("uvuv")}
    assert found(ammg.RCV(), columns, columns).reason == "no two attributes are associated in the original"
    assert found(ammg.RCV(), {"a": ["x"]}, {"a": ["x"]}).reason == "an association needs two attributes"
