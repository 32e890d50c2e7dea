import numpy as np
import pytest
from beside import found

import ammg


def test_the_distance_by_hand() -> None:
    result = found(ammg.HellingerDistance(order=1), {"a": list("xxxy")}, {"a": list("xxyy")})
    p, q = np.array([0.75, 0.25]), np.array([0.5, 0.5])
    assert result.value == pytest.approx(np.linalg.norm(np.sqrt(p) - np.sqrt(q)) / np.sqrt(2))


def test_files_without_a_common_cell_are_one_apart() -> None:
    before, after = {"a": list("xy"), "b": list("uv")}, {"a": list("yx"), "b": list("uv")}
    assert found(ammg.HellingerDistance(), before, after).value == pytest.approx(1)
