from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.published import Transition
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

ANYBODY = Scenario()
WORDS = ("a", "b", "c")
MATRIX = np.array([[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])


def changed_pair(n=120, seed=0, matrices=(MATRIX,)):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, n)
    after = codes
    for matrix in matrices:
        after = (rng.random(n)[:, None] > np.cumsum(matrix[after], axis=1)).sum(axis=1)
    place = np.arange(n) // 3
    before, released = (
        ammg.Microdata(pl.DataFrame({"word": [WORDS[c] for c in file], "place": place})) for file in (codes, after)
    )
    return Pair(before, released, np.arange(n), tuple(Transition(("word",), m, WORDS) for m in matrices)), codes, after


def test_probabilities_are_those_of_bayes_rule():
    pair, codes, after = changed_pair()
    likelihood = MATRIX[codes[None], after[:, None]] * (np.arange(120)[None] // 3 == np.arange(120)[:, None] // 3)
    posterior = likelihood / likelihood.sum(axis=1, keepdims=True)
    facts = ammg.TransitionLinkage().measure(pair, ANYBODY).facts
    assert facts["mean_probability_of_truth"] == pytest.approx(np.diag(posterior).mean())
    assert facts["mean_largest_probability"] == pytest.approx(posterior.max(axis=1).mean())


def test_without_the_place_the_word_tells_little():
    pair, _, _ = changed_pair()
    assert ammg.TransitionLinkage().measure(pair, Scenario(known=("word",))).value < 0.05
    assert ammg.TransitionLinkage().measure(pair, ANYBODY).value > 0.3


def test_two_changes_are_one():
    pair, codes, after = changed_pair(matrices=(MATRIX, MATRIX))
    twice = MATRIX @ MATRIX
    likelihood = twice[codes[None], after[:, None]] * (np.arange(120)[None] // 3 == np.arange(120)[:, None] // 3)
    expected = np.diag(likelihood / likelihood.sum(axis=1, keepdims=True)).mean()
    assert ammg.TransitionLinkage().measure(pair, ANYBODY).facts["mean_probability_of_truth"] == pytest.approx(expected)


def test_without_a_published_transition_it_is_not_defined(patients):
    with pytest.raises(NotDefined, match="no transition"):
        ammg.TransitionLinkage().measure(Pair.identity(patients), ANYBODY)


def test_the_rate_has_its_interval_and_so_has_that_of_outliers():
    measured = ammg.TransitionLinkage().measure(changed_pair()[0], ANYBODY)
    assert measured.interval[0] < measured.value < measured.interval[1]
    low, high = measured.facts["outlier_interval"]
    assert low < measured.facts["outlier_value"] < high


def test_links_one_to_one_find_more_than_each_record_by_itself():
    rng = np.random.default_rng(3)
    table = pl.DataFrame({name: rng.choice(WORDS, 150, p=[0.6, 0.3, 0.1]) for name in "stuvwxyz"})
    data = ammg.Microdata(table).with_roles(key=table.columns)
    pair = ammg.Pipeline([ammg.Pram(stay=0.85)]).run(data, secret=1).pair
    measured = ammg.TransitionLinkage().measure(pair, ANYBODY)
    rates = measured.tables["ways"].lookup("way", "rate")
    assert max(rates["one_to_one"], rates["most_probable_of_matchings"]) > rates["most_probable"] + 0.02
