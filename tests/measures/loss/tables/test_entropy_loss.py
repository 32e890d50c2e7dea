import numpy as np
import pytest
from beside import found, masked

import ammg


def test_a_release_that_tells_nothing_loses_the_whole_entropy() -> None:
    assert found(ammg.EntropyLoss(), {"a": list("xxyy")}, {"a": list("xyxy")}).value == pytest.approx(1)


def test_merging_two_equally_frequent_categories_costs_a_bit_for_their_records() -> None:
    table = {"town": ["Lyon", "Nice", "Bonn", "Bonn"]}
    recoding = ammg.GlobalRecoding(columns="town", map={"Lyon": "France", "Nice": "France"})
    assert masked(ammg.EntropyLoss(), table, recoding).value == pytest.approx(0.5)


def test_exchanged_names_lose_nothing_because_they_tell_the_original() -> None:
    assert found(ammg.EntropyLoss(), {"a": list("xxyy")}, {"a": list("yyxx")}).value == pytest.approx(0)


def test_pram_loses_the_entropy_of_its_transition() -> None:
    # Each of two equally frequent values is kept with probability 0.9: H = -0.9 log 0.9 - 0.1 log 0.1.
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 2, 20_000)
    after = np.where(rng.random(20_000) < 0.1, 1 - codes, codes)
    columns = [{"a": np.array(["x", "y"])[side].tolist()} for side in (codes, after)]
    expected = -(0.9 * np.log2(0.9) + 0.1 * np.log2(0.1))
    assert found(ammg.EntropyLoss(), *columns).value == pytest.approx(expected, abs=0.02)
