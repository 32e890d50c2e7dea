from __future__ import annotations

import numpy as np
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.data.scenario import Scenario
from ammg.errors import NotDefined

THREE = Scenario(known=("AFNLWGT", "AGI", "EMCONTRB"))


@pytest.fixture(scope="module")
def some(census_data):
    return ammg.Microdata(census_data.table[:400], census_data.schema)


def found(pair, scenario=THREE):
    return ammg.SwapPartnerLinkage().measure(pair, scenario)


@pytest.mark.parametrize("again", [True, False], ids=["replays", "windows"])
@pytest.mark.parametrize("step", [ammg.RankSwapping(p=15), ammg.DistributionRankSwapping(p=10)])
def test_partners_give_everybody_away_where_windows_leave_most(some, step, again):
    run = ammg.Pipeline([step]).run(some, secret=1).pair
    pair = run if again else Pair(run.original, run.masked, run.link, run.published)
    measured = found(pair)
    assert measured.facts["start"] == ("replays" if again else "windows")
    assert measured.value > 0.97 > 0.3 > ammg.RankWindowLinkage().measure(pair, THREE).value


def test_a_permutation_without_pairs_has_no_partners(some):
    pair = ammg.Pipeline([ammg.BoundedRankPermutation(p=15)]).run(some, secret=1).pair
    with pytest.raises(NotDefined, match="no swap in pairs"):
        found(pair)
    claimed = tuple(type(fact)(fact.columns, fact.reach, trade=True) for fact in pair.published)
    assert found(Pair(pair.original, pair.masked, pair.link, claimed)).value < 0.3


def test_another_truth_changes_no_link_but_their_score(some):
    pair = ammg.Pipeline([ammg.RankSwapping(p=15)]).run(some, secret=1).pair
    other = np.random.default_rng(1).permutation(pair.n)
    assert found(Pair(pair.original, pair.masked, other, pair.published)).value < 0.02


def test_independent_files_give_chance(some):
    pair = ammg.Pipeline([ammg.RankSwapping(p=15)]).run(some, secret=1).pair
    rng = np.random.default_rng(2)
    table = pair.masked.table.select(column.shuffle(int(rng.integers(1 << 30))) for column in pair.masked.table)
    mixed = Pair(pair.original, ammg.Microdata(table, pair.masked.schema), pair.link, pair.published)
    assert found(mixed).value < 0.03


def test_a_sample_of_people_does_not_do(some):
    pair = ammg.Pipeline([ammg.RankSwapping(p=15)]).run(some, secret=1).pair
    with pytest.raises(NotDefined, match="a sample of people does not suffice"):
        ammg.SwapPartnerLinkage(most_pairs=1000, sample=50).measure(pair, THREE)


BLURS = (ammg.AdditiveNoise(p=0.005), ammg.UnivariateMicroaggregation(k=3), ammg.Rounding(base=100))


@pytest.mark.parametrize("swap_first", [True, False])
@pytest.mark.parametrize("blur", BLURS, ids=lambda step: step.name)
def test_partners_are_followed_through_small_changes(some, blur, swap_first):
    steps = [ammg.RankSwapping(p=15), blur]
    pair = ammg.Pipeline(steps if swap_first else steps[::-1]).run(some, secret=1).pair
    assert found(pair).value > 0.6 > 0.4 > ammg.ReplayLinkage().measure(pair, THREE).value
