from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.published import Transition
from ammg.draws import Secret
from ammg.errors import InputError
from ammg.estimators import original_frequencies, original_table

STEP = ammg.Pram(columns=["letter", "town"], stay=0.7, pattern="uniform")


def people(n=1500):
    rng = np.random.default_rng(1)
    letter = rng.choice(list("abc"), n, p=[0.6, 0.3, 0.1])
    town = np.where(rng.random(n) < 0.5, np.where(letter == "a", "p", "q"), rng.choice(["p", "q"], n))
    return ammg.Microdata(pl.DataFrame({"letter": letter, "town": town})).with_roles(key=["letter", "town"])


def covered(secrets):
    data = people()
    truth = data.table["letter"].value_counts().sort("letter")["count"].to_numpy()
    table = data.table.group_by("letter", "town").len().sort("letter", "town")["len"].to_numpy()
    estimates, cells, inside, inside_cells = [], [], [], []
    for secret in map(Secret.known, range(secrets)):
        masked = ammg.Pipeline([STEP]).run(data, secret)
        letter, town = masked.published
        found = original_frequencies(masked.table["letter"], letter)
        both = original_table(masked.table["letter"], masked.table["town"], (letter, town))
        for estimate, true, kept, within in (
            (found, truth, estimates, inside),
            (both, table, cells, inside_cells),
        ):
            low, high = estimate.intervals().T
            kept.append(estimate.counts)
            within.append((low <= true) & (true <= high))
    return data, truth, table, np.array(estimates), np.array(cells), np.mean(inside), np.mean(inside_cells), found, both


def _assert_right(secrets, low, high):
    _, truth, table, estimates, cells, inside, inside_cells, found, both = covered(secrets)
    for drawn, true, last in ((estimates, truth, found), (cells, table, both)):
        errors = last.standard_errors / np.sqrt(secrets)
        assert (np.abs(drawn.mean(axis=0) - true) <= 4 * errors).all()
        assert np.std(drawn, axis=0, ddof=1) == pytest.approx(last.standard_errors, rel=0.2)
        assert np.cov(drawn.T)[0, 1] == pytest.approx(last.covariance[0, 1], rel=0.35)
    assert low <= inside <= high
    assert low <= inside_cells <= high


def test_frequencies_and_tables_are_unbiased_with_the_covariance_told():
    _assert_right(150, 0.9, 0.985)


@pytest.mark.proof
def test_intervals_cover_what_they_promise():
    _assert_right(1000, 0.92, 0.97)


def test_weights_and_missing_values():
    transition = Transition(("letter",), np.array([[0.8, 0.2], [0.3, 0.7]]), ("a", "b"))
    found = original_frequencies(["a", None, "b", "b"], transition, weights=[2.0, 5.0, 1.0, 1.0])
    assert found.counts @ transition.matrix == pytest.approx([2.0, 2.0])
    assert found.counts.sum() == pytest.approx(4.0)
    assert found.condition == pytest.approx(np.linalg.cond(transition.matrix))


def test_a_matrix_without_inverse_is_refused_here_and_masks_all_the_same():
    rows = [[0.5, 0.5], [0.5, 0.5]]
    masked = ammg.Pipeline([ammg.Pram(columns="town", matrix=rows)]).run(people(200), secret=1)
    with pytest.raises(InputError, match="no inverse"):
        original_frequencies(masked.table["town"], masked.published[0])


def test_bad_input_gets_a_sentence():
    transition = Transition(("x",), np.eye(2), ("a", "b"))
    with pytest.raises(InputError, match="'c', which is not a category"):
        original_frequencies(["a", "c"], transition)
    with pytest.raises(InputError, match="shape"):
        original_frequencies(["a"], Transition(("x",), np.eye(3), ("a", "b")))
    with pytest.raises(InputError, match="sum to 1"):
        original_frequencies(["a"], Transition(("x",), np.eye(2) * 0.9, ("a", "b")))
    with pytest.raises(InputError, match="two transitions"):
        original_table(["a"], ["b"], (transition,))
