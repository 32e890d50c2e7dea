from __future__ import annotations

import numpy as np
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

ANYBODY = Scenario()


@pytest.fixture(scope="module")
def some(census_data):
    return ammg.Microdata(census_data.table[:120], census_data.schema)


@pytest.mark.parametrize(
    ("step", "k"),
    [
        (ammg.Mdav(k=4, noise="pooled"), 4),
        (ammg.Mdav(k=4, noise="pooled", integers=True), 4),
        (ammg.Mdav(k=3, noise="within", exact=True), 3),
    ],
    ids=["pooled", "pooled and rounded", "within"],
)
def test_groups_with_noise_are_found_by_their_sums(some, step, k):
    pair = ammg.Pipeline([step]).run(some, secret=1).pair
    measured = ammg.GroupSumLinkage().measure(pair, ANYBODY)
    assert measured.facts["groups"] == 120 // k
    assert measured.facts["records_in_groups"] > 116
    assert measured.value == pytest.approx(1 / k, abs=0.01)


def test_another_truth_changes_no_link_but_their_score(some):
    pair = ammg.Pipeline([ammg.Mdav(k=4, noise="pooled")]).run(some, secret=1).pair
    other = np.random.default_rng(1).permutation(pair.n)
    wrong = Pair(pair.original, pair.masked, other, pair.published, again=pair.again)
    assert ammg.GroupSumLinkage().measure(wrong, ANYBODY).value < 0.03


def test_groups_without_noise_are_not_its_business(some):
    with pytest.raises(NotDefined, match="no noise within groups"):
        ammg.GroupSumLinkage().measure(ammg.Pipeline([ammg.Mdav(k=4)]).run(some, secret=1).pair, ANYBODY)
